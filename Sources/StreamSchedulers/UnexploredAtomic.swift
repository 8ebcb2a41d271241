#if STREAMS_EXPLORE
  internal import Synchronization

  /// The atomics of this module, whose accesses aren't steps of the explorer, unlike in the module Streams.
  typealias Atomic = Synchronization.Atomic
#endif
