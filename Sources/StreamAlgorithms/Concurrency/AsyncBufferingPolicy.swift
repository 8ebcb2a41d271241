public import Streams

extension Publisher {
  /// The values of this publisher as an asynchronous sequence that buffers values until you await them.
  ///
  ///     for await position in positions.values(buffering: .newest(1)) { await draw(position) }
  ///
  /// The iterator requests demand when it's created, so you miss nothing that is sent from then on. With `.bounded(n)`, it
  /// requests `n` values. Once half of them have been taken, it requests as many as were taken. Upstream thus never has demand
  /// for more than `n`, and you lose nothing unless upstream drops values without demand. With `.unbounded`, `.oldest(n)` and
  /// `.newest(n)`, demand is unlimited. For cancellation, failures and threads, see ``/Streams/AsyncPublisher``.
  ///
  /// - Parameter policy: The policy for values that you haven't awaited yet. A number of values below one stops the program with
  ///   a message.
  /// - Returns: An asynchronous sequence whose iterators subscribe to this publisher.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public func values(buffering policy: AsyncBufferingPolicy) -> AsyncPublisher<Self> {
    AsyncPublisher(self, buffering: policy.buffering)
  }
}

/// A policy for how many values an asynchronous sequence of a publisher buffers, and for the demand it requests.
///
/// The names come from `AsyncBufferSequencePolicy` in swift-async-algorithms and from `AsyncStream.Continuation.BufferingPolicy`.
/// They leave out the word `buffering`, which is the label of ``Streams/Publisher/values(buffering:)``. In contrast to both,
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

extension AsyncBufferingPolicy {
  /// What the policy means for the sequence. Checks the number.
  @inlinable
  var buffering: AwaitedBuffering {
    switch self {
    case .bounded(let count), .oldest(let count), .newest(let count):
      require(
        count > 0,
        or: "values(buffering:) requires a number of at least 1, got .\(self). Use .unbuffered to buffer no values.")
    case .unbuffered, .unbounded: break
    }
    return switch self {
    case .unbuffered: .none
    case .bounded(let count): .requesting(count)
    case .unbounded: .keeping(.max, newest: false)
    case .oldest(let count): .keeping(count, newest: false)
    case .newest(let count): .keeping(count, newest: true)
    }
  }
}
