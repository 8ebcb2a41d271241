#if STREAMS_EXPLORE
  package import Synchronization

  /// The atomics of this module, whose accesses are no steps of the explorer, unlike those of the module Streams.
  package typealias Atomic = Synchronization.Atomic
#endif
