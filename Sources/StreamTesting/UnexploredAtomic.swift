#if STREAMS_EXPLORE
  internal import Synchronization

  /// The standard library's atomics: unlike in the module Streams, accesses to them aren't steps of the explorer.
  typealias Atomic = Synchronization.Atomic
#endif
