#if STREAMS_EXPLORE
  internal import Synchronization

  /// The standard library's atomic type. The explorer doesn't track it, unlike the atomics in the module Streams.
  typealias Atomic = Synchronization.Atomic
#endif
