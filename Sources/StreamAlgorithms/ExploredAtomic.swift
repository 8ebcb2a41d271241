#if STREAMS_EXPLORE
  public import Streams

  /// The atomic type of Streams, in place of the standard library's. The explorer treats each access as a step.
  @usableFromInline typealias Atomic = Streams.Atomic
#endif
