// Importing this module imports the two below as well.
@_exported public import StreamSchedulers
@_exported public import Streams
