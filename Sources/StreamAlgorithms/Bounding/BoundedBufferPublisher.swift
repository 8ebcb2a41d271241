public import Streams

extension Publisher {
  /// Keeps values until they're requested, and limits their number.
  ///
  /// ```swift
  /// lines.buffer(bounded: 64, whenFull: .wait)   // reads 64 lines ahead
  /// ```
  ///
  /// It behaves like `buffer(size:prefetch:whenFull:)`, which requests unlimited demand, and has two more strategies. With
  /// `.wait`, it requests as many values as fit, and one more for each that is delivered. `.cancel` drops the waiting values
  /// and finishes.
  ///
  /// - Parameters:
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  /// - Returns: A publisher that publishes the same values.
  /// - Complexity: Amortized O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func buffer(
    bounded bound: Int, whenFull: OverflowStrategy<Failure>
  ) -> BoundedBufferPublisher<Self> {
    BoundedBufferPublisher(upstream: self, bounded: bound, whenFull: whenFull)
  }

  /// Shares one subscription among many subscribers, and limits the number of values waiting for each of them.
  ///
  /// ```swift
  /// let messages = room.share(bounded: 1_000, whenFull: .cancel)   // a client that does not read is disconnected
  /// ```
  ///
  /// As with ``/Streams/Publisher/share()``, the operator subscribes to upstream when the first subscriber arrives. It requests unlimited demand.
  /// Each subscriber has its own buffer for values that it hasn't requested yet, so a slow subscriber doesn't delay the others
  /// and loses no values until `bounded` of them are waiting. `whenFull` determines what happens to the next one, for that
  /// subscriber alone. `.cancel` drops its waiting values and ends its stream with a completion. `.wait` stops the program with
  /// a message, because a source shared by several subscribers can't wait for one of them. If your senders can wait, use a
  /// ``BoundedSubject``.
  ///
  /// - Parameters:
  ///   - bound: The maximum number of values that may be waiting for a subscriber. A number below one stops the program with a
  ///     message.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  /// - Returns: A publisher that publishes the same values. Its copies share the subscription.
  /// - Complexity: O(*n*) for each value, where *n* is the number of subscribers.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func share(
    bounded bound: Int, whenFull: OverflowStrategy<Failure>
  ) -> BoundedBufferPublisher<Publishers.Share<Self>> {
    if case .wait = whenFull {
      stopProgram(
        "share(bounded:whenFull:) cannot wait: its subscribers share one source. "
          + "Use .dropOldest, .dropNewest, .fail or .cancel."
      )
    }
    require(bound > 0, or: "share(bounded:whenFull:) requires a bound of at least 1, got \(bound).")
    return share().buffer(bounded: bound, whenFull: whenFull)
  }

  /// Returns an asynchronous sequence of this publisher's values, and limits the number of waiting values.
  ///
  /// ```swift
  /// for await position in positions.values(bounded: 1, whenFull: .dropOldest) { await draw(position) }
  /// ```
  ///
  /// `.wait` requests as many values as fit. The other strategies request unlimited demand and determine what happens to a
  /// value that arrives while `bounded` values are waiting for your loop. `.fail(_:)` throws its error after the waiting
  /// values, and `.cancel` ends the loop. Threads, cancellation and failures work as they do for ``/Streams/AsyncPublisher``.
  ///
  /// - Parameters:
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  /// - Returns: An asynchronous sequence whose iterators subscribe to this publisher.
  /// - Complexity: O(1) for each value.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func values(
    bounded bound: Int, whenFull: OverflowStrategy<Failure>
  ) -> AsyncPublisher<BoundedBufferPublisher<Self>> {
    require(bound > 0, or: "values(bounded:whenFull:) requires a bound of at least 1, got \(bound).")
    return buffer(bounded: bound, whenFull: whenFull).values
  }
}

/// A publisher that keeps values for a subscriber that hasn't requested them, up to a bound.
///
/// You get one from `buffer(bounded:whenFull:)` and `share(bounded:whenFull:)`.
@frozen
public struct BoundedBufferPublisher<Upstream: Publisher>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  /// The publisher whose values are kept.
  public let upstream: Upstream

  /// The maximum number of waiting values.
  public let bound: Int

  /// The strategy for handling a value when there's no room for it.
  public let whenFull: OverflowStrategy<Failure>

  /// Creates the publisher.
  ///
  /// - Parameters:
  ///   - upstream: The publisher whose values are kept.
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  @inlinable
  public init(upstream: Upstream, bounded bound: Int, whenFull: OverflowStrategy<Failure>) {
    require(bound > 0, or: "buffer(bounded:whenFull:) requires a bound of at least 1, got \(bound).")
    self.upstream = upstream
    self.bound = bound
    self.whenFull = whenFull
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(
      subscriber, buffering: Bound(bound, whenFull, in: "buffer(bounded:whenFull: .wait)"), keepsFull: false)
  }
}
