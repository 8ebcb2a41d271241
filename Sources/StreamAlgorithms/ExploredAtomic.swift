#if STREAMS_EXPLORE
  public import Streams

  /// The atomics of Streams, whose accesses are steps of the explorer, in place of those of the standard library.
  @usableFromInline typealias Atomic = Streams.Atomic
#endif
