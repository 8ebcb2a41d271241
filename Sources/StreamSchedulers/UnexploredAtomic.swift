#if STREAMS_EXPLORE
  internal import Synchronization

  /// The atomics of this module. Unlike in `Streams`, accesses to them aren't steps of the explorer.
  typealias Atomic = Synchronization.Atomic
#endif
