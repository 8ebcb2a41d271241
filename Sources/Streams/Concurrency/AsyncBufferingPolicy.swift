/// A policy for how many values an asynchronous sequence of a publisher buffers, and for the demand it requests.
///
/// The names come from `AsyncBufferSequencePolicy` in swift-async-algorithms and from `AsyncStream.Continuation.BufferingPolicy`.
/// They leave out the word `buffering`, which is the label of ``Publisher/values(buffering:)``. In contrast to both,
/// ``bounded(_:)`` doesn't suspend the producer. The bound is the demand, which upstream respects.
@frozen
public enum AsyncBufferingPolicy: Hashable, Sendable {
  /// Buffers nothing. The sequence requests one value whenever you await one and none is available.
  case unbuffered

  /// Buffers up to a number of values and loses none. The sequence requests that many, and more when half of them have been
  /// taken.
  case bounded(Int)

  /// Buffers every value. Demand is unlimited.
  case unbounded

  /// Buffers up to a number of values and drops new ones while the buffer is full. Demand is unlimited.
  case oldest(Int)

  /// Buffers up to a number of values and drops the oldest one when a new one doesn't fit. Demand is unlimited.
  case newest(Int)
}
