public import Streams

extension Publisher {
  /// Transforms each value into a publisher, merges the values from these publishers, and limits the number of waiting values.
  ///
  /// ```swift
  /// connections.flatMap(bounded: 1_000, whenFull: .fail(Overload())) { $0.messages }
  /// ```
  ///
  /// At most `bounded` values wait for delivery or demand. For the strategies, see `receive(on:bounded:whenFull:)`. The
  /// operator requests unlimited demand from each publisher on subscription. With `.wait`, it requests one value at a time from
  /// each, and at most `bounded` publishers run at a time.
  ///
  /// Otherwise, it works like `flatMap(maxPublishers:_:)`.
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of publishers that run at a time. It must not be `.none`.
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value that doesn't fit.
  ///   - transform: A closure that takes a value and returns the publisher to subscribe to.
  @inlinable @_disfavoredOverload
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, bounded bound: Int,
    whenFull: OverflowStrategy<Failure>, _ transform: @escaping (Output) -> P
  ) -> BoundedPublisher<Publishers.FlatMap<P, Self>> where P.Failure == Failure {
    BoundedPublisher(
      Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform), bounded: bound,
      whenFull: whenFull, for: "flatMap(bounded:whenFull:)")
  }
}

extension Publishers.FlatMap: _BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func _receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: OverflowStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    let bound = Bound(size, whenFull, in: "flatMap(bounded:whenFull: .wait)")
    MergeEngine(
      SubscriberReceiver(subscriber), ElementLayout(Output.self), maxPublishers: maxPublishers, .flatMap, bound
    ).attach(outer: upstream, transform)
  }
}
