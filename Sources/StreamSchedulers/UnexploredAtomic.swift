#if STREAMS_EXPLORE
  internal import Synchronization

  /// The atomic type that this module uses. Unlike in `Streams`, the explorer doesn't treat an access to it as a step.
  typealias Atomic = Synchronization.Atomic
#endif
