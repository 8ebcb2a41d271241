public import Streams

extension Publisher {
  /// Delivers values and the completion on a scheduler, and limits the number of waiting values.
  ///
  /// ```swift
  /// positions.receive(on: DispatchQueue.main, bounded: 1, whenFull: .dropOldest).sink { show($0) }   // the newest at any time
  /// lines.receive(on: writer, bounded: 64, whenFull: .wait).sink { journal.write($0) }   // reads no faster than it writes
  /// ```
  ///
  /// Without a bound, memory use keeps growing if a publisher sends values faster than the scheduler delivers them. Here, at
  /// most `bounded` values are waiting for the scheduler and for downstream demand. The value being delivered doesn't count.
  /// `whenFull` determines what happens to a value that doesn't fit:
  ///
  /// - `.dropOldest` replaces the value that has been waiting longest.
  /// - `.dropNewest` drops the new value.
  /// - `.fail(_:)` cancels upstream and delivers the waiting values, then the error.
  /// - `.cancel` cancels upstream, drops the waiting values and finishes.
  /// - With `.wait`, there's always room. The operator requests as many values from upstream as fit, and more when half of them
  ///   have been delivered or none are waiting, regardless of what downstream requests.
  ///
  /// Except with `.wait`, the operator requests unlimited demand.
  ///
  /// Signals stay in order and never overlap. One scheduled action delivers the values that were waiting when it began. An
  /// upstream completion or failure follows the waiting values. After cancellation, nothing is delivered.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler that delivers values and the completion.
  ///   - options: The options to use when scheduling deliveries.
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value that doesn't fit.
  /// - Complexity: Amortized O(1) for each value, plus the scheduler's own work.
  @inlinable @_disfavoredOverload
  public __consuming func receive<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil, bounded bound: Int,
    whenFull: OverflowStrategy<Failure>
  ) -> BoundedPublisher<Publishers.ReceiveOn<Self, S>> {
    BoundedPublisher(
      receive(on: scheduler, options: options), bounded: bound, whenFull: whenFull,
      for: "receive(on:bounded:whenFull:)")
  }

  /// Delivers values and the completion on an actor, and limits the number of waiting values.
  ///
  /// ```swift
  /// prices.receive(on: account, bounded: 100, whenFull: .dropOldest)
  ///   .sink(with: account) { account, price in account.price = price }
  /// ```
  ///
  /// The operator delivers values like `receive(on:)` with an actor. `bounded`, `whenFull` and demand work as they do with a
  /// scheduler. Cancellation drops the waiting values.
  ///
  /// - Parameters:
  ///   - actor: The actor on which values and the completion are delivered.
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value that doesn't fit.
  @inlinable @_disfavoredOverload
  public __consuming func receive<Context: Actor>(
    on actor: Context, bounded bound: Int, whenFull: OverflowStrategy<Failure>
  ) -> BoundedPublisher<ReceiveOnActorPublisher<Self, Context>> {
    BoundedPublisher(receive(on: actor), bounded: bound, whenFull: whenFull, for: "receive(on:bounded:whenFull:)")
  }
}

extension Publishers.ReceiveOn: _BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func _receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: OverflowStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    let bound = Bound(size, whenFull, in: "receive(on:bounded:whenFull: .wait)")
    upstream.subscribe(subscriber, at: SchedulerPlace(scheduler, options), bound)
  }
}

extension ReceiveOnActorPublisher: _BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func _receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: OverflowStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    let bound = Bound(size, whenFull, in: "receive(on:bounded:whenFull: .wait)")
    upstream.subscribe(subscriber, at: .actor(actor), bound)
  }
}

extension BoundedPublisher: IsolatedPublisher where Base: IsolatedPublisher {
  /// The actor on which values and the completion are delivered.
  public var actor: Base.Context { base.actor }
}
