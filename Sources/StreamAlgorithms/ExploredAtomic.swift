#if STREAMS_EXPLORE
  public import Streams

  /// The atomics of Streams, whose accesses are steps of the explorer, in place of the standard library's.
  @usableFromInline typealias Atomic = Streams.Atomic
#endif
