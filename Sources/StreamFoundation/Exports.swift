// Importing this module imports the two below as well.
@_exported public import StreamSchedulers
@_exported public import Streams

/// A name to import, so that `Combine` shows the members of this module's extensions, but not its types.
public protocol _FoundationMembers {}
