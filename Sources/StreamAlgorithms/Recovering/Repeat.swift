public import Streams

extension Publisher {
  /// Repeats this publisher a number of times, by subscribing to it again whenever it finishes.
  ///
  ///     [1, 2].publisher.repeat(2)   // 1 2 1 2
  ///
  /// ![The source publishes 1 and 2 and finishes; subscribed to again at 600 ms, it publishes 1 and 2 and finishes; the result publishes 1, 2, 1 and 2 and finishes.](diagram-repeat)
  ///
  /// If `count` is 0, the stream finishes immediately without subscribing. A failure ends the stream. The operator requests the
  /// remaining demand from each repetition. Repetitions that finish immediately run in a loop and don't grow the stack.
  ///
  /// Values are delivered on upstream's thread, and nothing is buffered. The operator retains its upstream publisher for as
  /// long as the stream lasts. Cancellation cancels the current repetition.
  ///
  /// - Parameter count: The number of times to subscribe in total.
  /// - Precondition: `count` isn't negative.
  /// - Complexity: O(1) for each value and each repetition.
  @inlinable @_disfavoredOverload
  public __consuming func `repeat`(_ count: Int) -> RepeatPublisher<Self> {
    RepeatPublisher(upstream: self, count: count)
  }

  /// Repeats this publisher indefinitely, by subscribing to it again whenever it finishes.
  ///
  ///     Deferred { load() }.delay(for: 60, scheduler: queue).repeat()
  ///
  /// The stream ends only when it fails or is cancelled. If a publisher finishes immediately without a value, the
  /// operator subscribes to it in an endless loop on the subscribing thread, until another thread cancels the stream.
  /// In all other respects, it's like ``repeat(_:)``.
  @inlinable @_disfavoredOverload
  public __consuming func `repeat`() -> RepeatPublisher<Self> {
    RepeatPublisher(upstream: self, count: nil)
  }
}

/// The publisher that `repeat(_:)` and `repeat()` return.
@frozen
public struct RepeatPublisher<Upstream: Publisher>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let count: Int?

  @inlinable
  init(upstream: Upstream, count: Int?) {
    if let count { requireNotNegative(count, in: "repeat(_:)", "a count") }
    self.upstream = upstream
    self.count = count
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if count == 0 { return subscriber.receiveOnly(.finished) }
    let engine = SuccessionEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), "repeat")
    engine.attach(upstream, again: count.map { $0 - 1 } ?? .max, afterFailure: false)
  }
}

extension RepeatPublisher: Equatable where Upstream: Equatable {}
extension RepeatPublisher: Sendable where Upstream: Sendable {}
