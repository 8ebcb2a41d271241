/// A policy that determines how many values an asynchronous sequence of a publisher buffers until they are awaited, and
/// what demand it requests.
///
/// The names are those of `AsyncBufferSequencePolicy` in swift-async-algorithms and of
/// `AsyncStream.Continuation.BufferingPolicy`, without the word `buffering`, which is the label of
/// ``Publisher/values(buffering:)``. In contrast to both, ``bounded(_:)`` does not suspend the producer: the bound is
/// the demand, which upstream respects.
@frozen
public enum AsyncBufferingPolicy: Hashable, Sendable {
  /// Buffers nothing: one value is requested whenever one is awaited and none is available.
  case unbuffered

  /// Buffers up to a number of values and loses none: that many are requested, and more when half of them have been
  /// taken.
  case bounded(Int)

  /// Buffers every value; demand is unlimited.
  case unbounded

  /// Buffers up to a number of values, and drops new ones while the buffer is full. Demand is unlimited.
  case oldest(Int)

  /// Buffers up to a number of values, and drops the oldest one when a new one arrives at a full buffer. Demand is
  /// unlimited.
  case newest(Int)
}
