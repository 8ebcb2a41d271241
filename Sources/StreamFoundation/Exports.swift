// Importing this module also imports the two modules below.
@_exported public import StreamSchedulers
@_exported public import Streams

/// A declaration for the module `Combine` to export, so it shows the members of this module's extensions, but not its
/// types.
public protocol _FoundationMembers {}
