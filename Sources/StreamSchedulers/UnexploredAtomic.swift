#if STREAMS_EXPLORE
  internal import Synchronization

  /// The atomics of this module, whose accesses are no steps of the explorer, unlike those of the module Streams.
  typealias Atomic = Synchronization.Atomic
#endif
