// Importing this module also imports the two modules below.
@_exported public import StreamSchedulers
@_exported public import Streams

/// A name to import, so that `Combine` shows the members of this module's extensions, but not its types.
public protocol _FoundationMembers {}
