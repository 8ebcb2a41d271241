public import Streams

extension Publisher {
  /// Buffers values until they're requested, and limits the number of buffered values.
  ///
  /// ```swift
  /// lines.buffer(bounded: 64, whenFull: .wait)   // reads 64 lines ahead
  /// ```
  ///
  /// Except with `.wait`, the operator requests unlimited demand, like `buffer(size:prefetch:whenFull:)` with `.byRequest`.
  /// With `.wait`, it requests as many values as fit, and one more for each delivered value. With `.cancel`, it finishes when a
  /// value doesn't fit.
  ///
  /// - Parameters:
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value that doesn't fit.
  @inlinable @_disfavoredOverload
  public __consuming func buffer(
    bounded bound: Int, whenFull: OverflowStrategy<Failure>
  ) -> BoundedPublisher<Publishers.Buffer<Self>> {
    BoundedPublisher(
      Publishers.Buffer(upstream: self, size: 0, prefetch: .byRequest, whenFull: .dropNewest), bounded: bound,
      whenFull: whenFull, for: "buffer(bounded:whenFull:)")
  }

  /// Shares one subscription among many subscribers, and limits the number of values waiting for each subscriber.
  ///
  /// ```swift
  /// let messages = room.share(bounded: 1_000, whenFull: .cancel)   // a client that does not read is disconnected
  /// ```
  ///
  /// Like ``/Streams/Publisher/share()``, the operator subscribes to upstream when the first subscriber arrives. It requests
  /// unlimited demand. Each subscriber has its own buffer for values that it hasn't requested yet, so a slow subscriber doesn't
  /// delay the others. `whenFull` applies only to the subscriber whose buffer is full. `.cancel` drops that subscriber's
  /// waiting values and finishes its stream. `.wait` stops the program with a message, because a source shared by several
  /// subscribers can't wait for one of them. If your senders can wait, use a ``BoundedSubject``.
  ///
  /// - Parameters:
  ///   - bound: The maximum number of values that may be waiting for a subscriber. A number below one stops the program with a
  ///     message.
  ///   - whenFull: The strategy for handling a value that doesn't fit.
  /// - Returns: A publisher that publishes the same values. Its copies share the subscription.
  /// - Complexity: O(*n*) for each value, where *n* is the number of subscribers.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func share(
    bounded bound: Int, whenFull: OverflowStrategy<Failure>
  ) -> BoundedPublisher<Publishers.Buffer<Publishers.Share<Self>>> {
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
  /// The iterator requests values when it's created, so you don't miss anything that's sent from then on. With `.wait`, it
  /// requests as many values as fit. Once half of them have been taken, it requests as many as were taken. No values are lost
  /// unless upstream drops values that weren't requested. With the other strategies, the iterator requests unlimited demand.
  /// `.fail(_:)` throws its error after the waiting values, and `.cancel` drops the waiting values and ends the loop. Both
  /// cancel upstream. To keep every value, pass `.max` as the bound.
  ///
  /// For threads, cancellation and upstream's failures, see ``/Streams/AsyncPublisher``.
  ///
  /// - Parameters:
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value that doesn't fit.
  /// - Returns: An asynchronous sequence whose iterators subscribe to this publisher.
  @inlinable @_disfavoredOverload
  public func values(
    bounded bound: Int, whenFull: OverflowStrategy<Failure>
  ) -> AsyncPublisher<Self> {
    require(bound > 0, or: "values(bounded:whenFull:) requires a bound of at least 1, got \(bound).")
    return switch whenFull {
    case .wait: AsyncPublisher(self, buffering: .requesting(bound))
    case .dropNewest: AsyncPublisher(self, buffering: .keeping(bound, .dropNewest))
    case .dropOldest: AsyncPublisher(self, buffering: .keeping(bound, .dropOldest))
    case .fail(let error): AsyncPublisher(self, buffering: .keeping(bound, .fail), overflowError: error)
    case .cancel: AsyncPublisher(self, buffering: .keeping(bound, .cancel))
    }
  }
}

extension Publishers.Buffer: _BoundablePublisher {
  // The bound replaces the buffer's own size and strategy.
  @inlinable @inline(__always) @_disfavoredOverload
  public func _receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: OverflowStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(
      subscriber, buffering: Bound(size, whenFull, in: "buffer(bounded:whenFull: .wait)"), keepsFull: false)
  }
}
