public import Streams

extension Publisher {
  /// Merges values from this publisher with values from another publisher, and limits the number of waiting values.
  ///
  /// ```swift
  /// keyboard.merge(with: network, bounded: 100, whenFull: .dropOldest)
  /// ```
  ///
  /// While one thread delivers a value, other threads' values have to wait, and without a bound, any number of them can
  /// accumulate. Here, at most `bounded` values wait for delivery or demand. For the strategies, see
  /// `receive(on:bounded:whenFull:)`. The operator immediately requests unlimited demand from both publishers. With `.wait`, it
  /// requests one value from each when downstream first requests a value. It requests the next one when that value has been
  /// delivered, even if downstream requests unlimited demand.
  ///
  /// Completion and cancellation work as in `merge(with:)`.
  ///
  /// - Parameters:
  ///   - other: The publisher to merge with.
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value that doesn't fit.
  @inlinable @_disfavoredOverload
  public __consuming func merge<P: Publisher>(
    with other: P, bounded bound: Int, whenFull: OverflowStrategy<Failure>
  ) -> BoundedPublisher<Publishers.Merge<Self, P>> where P.Output == Output, P.Failure == Failure {
    BoundedPublisher(
      Publishers.Merge(self, other), bounded: bound, whenFull: whenFull, for: "merge(with:bounded:whenFull:)")
  }
}

extension Collection where Element: Publisher {
  /// Merges all publishers in the collection into one, and limits the number of waiting values, like
  /// ``/StreamAlgorithms/Streams/Publisher/merge(with:bounded:whenFull:)``.
  ///
  /// ```swift
  /// rooms.map(\.messages).merge(bounded: 100, whenFull: .dropOldest)
  /// ```
  @inlinable @_disfavoredOverload
  public func merge(
    bounded bound: Int, whenFull: OverflowStrategy<Element.Failure>
  ) -> BoundedPublisher<Publishers.MergeMany<Element>> {
    BoundedPublisher(merge(), bounded: bound, whenFull: whenFull, for: "merge(bounded:whenFull:)")
  }
}

extension Publishers.Merge: _BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func _receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: OverflowStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    let bound = Bound(size, whenFull, in: "merge(with:bounded:whenFull: .wait)")
    let engine = MergeEngine(
      SubscriberReceiver(subscriber), ElementLayout(Output.self), count: 2, .merge, bound)
    engine.attach(a, slot: 1)
    engine.attach(b, slot: 2)
  }
}

extension Publishers.MergeMany: _BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func _receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: OverflowStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    if publishers.isEmpty { return subscriber.receiveOnly(.finished) }
    let bound = Bound(size, whenFull, in: "merge(bounded:whenFull: .wait)")
    let engine = MergeEngine(
      SubscriberReceiver(subscriber), ElementLayout(Output.self), count: publishers.count, .merge, bound)
    for (slot, publisher) in publishers.enumerated() { engine.attach(publisher, slot: slot + 1) }
  }
}
