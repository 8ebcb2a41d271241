// An event is the same for a server and for a client, which don't import each other.
@_exported public import struct StreamsNIO.ServerSentEvent
