// An import of this module includes the two modules below.
@_exported public import StreamSchedulers
@_exported public import Streams
