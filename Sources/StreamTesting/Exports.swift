// Whoever imports this module has the two below as well.
@_exported public import StreamSchedulers
@_exported public import Streams
