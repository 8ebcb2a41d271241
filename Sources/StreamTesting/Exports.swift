// Importing this module also imports these two.
@_exported public import StreamSchedulers
@_exported public import Streams
