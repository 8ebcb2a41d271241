/// A publisher in which values wait. They wait for the scheduler or the actor on which it delivers, or until the value of
/// another thread is delivered.
///
/// The publishers of `receive(on:)`, `merge` and `flatMap` conform. Each has a form with the parameters `bounded` and
/// `whenFull`, which turns it into an ``ExtendedPublishers/Bounded``.
public protocol BoundablePublisher: Publisher {
  /// Attaches a subscriber for which a bounded number of values waits.
  ///
  /// - Parameters:
  ///   - subscriber: The subscriber.
  ///   - size: The maximum number of values that wait, at least 1.
  ///   - whenFull: The strategy for a value for which there is no room.
  @_disfavoredOverload
  func receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure
}

extension ExtendedPublishers {
  /// A publisher in which a bounded number of values waits.
  ///
  /// You get one from `receive(on:)`, `merge(with:)` or `flatMap(_:)` when you pass the parameters `bounded` and `whenFull`.
  @frozen
  public struct Bounded<Base: BoundablePublisher>: Publisher {
    public typealias Output = Base.Output
    public typealias Failure = Base.Failure

    /// The publisher without the bound.
    public let base: Base

    /// The maximum number of values that wait.
    public let bound: Int

    /// The strategy for a value for which there is no room.
    public let whenFull: Publishers.BufferingStrategy<Failure>

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - base: The publisher in which values wait.
    ///   - bound: The maximum number of values that wait. A number below one stops the program with a message.
    ///   - whenFull: The strategy for a value for which there is no room.
    @inlinable
    public init(_ base: Base, bounded bound: Int, whenFull: Publishers.BufferingStrategy<Failure>) {
      require(bound > 0, or: "The argument bounded: requires a bound of at least 1, got \(bound).")
      self.base = base
      self.bound = bound
      self.whenFull = whenFull
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      base.receive(subscriber: subscriber, bounded: bound, whenFull: whenFull)
    }
  }
}

// MARK: Delivering elsewhere

extension Publisher {
  /// Delivers values and the completion on a scheduler, for which a bounded number of values waits.
  ///
  /// ```swift
  /// positions.receive(on: DispatchQueue.main, bounded: 1, whenFull: .dropOldest).sink { show($0) }   // the newest at any time
  /// lines.receive(on: writer, bounded: 64, whenFull: .wait).sink { file.write($0) }   // reads no faster than it writes
  /// ```
  ///
  /// Without a bound, a publisher that sends faster than the scheduler delivers fills the memory. Here, at most `bounded`
  /// values wait for the scheduler and for downstream demand. The value being delivered doesn't count. `whenFull` decides
  /// about a value for which there is no room:
  ///
  /// - `.dropOldest` replaces the value that has waited longest.
  /// - `.dropNewest` drops the new value.
  /// - `.fail(_:)` cancels upstream and delivers the values that wait, then the error.
  /// - `.cancel` cancels upstream, drops the waiting values and finishes.
  /// - With `.wait`, no such value arrives. The operator requests as many values from upstream as fit, and more when half of
  ///   them have been delivered, whatever downstream requests.
  ///
  /// Except with `.wait`, demand is unlimited.
  ///
  /// Signals keep their order and don't overlap. One scheduled action delivers the values that were waiting when it began. An
  /// upstream completion or failure follows the values that wait. After cancellation nothing is delivered.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler on which values and the completion are delivered.
  ///   - options: The options with which deliveries are scheduled.
  ///   - bound: The maximum number of values that wait. A number below one stops the program with a message.
  ///   - whenFull: The strategy for a value for which there is no room.
  /// - Returns: A publisher of the values, delivered on the scheduler.
  /// - Complexity: Amortized O(1) for each value, besides the scheduler's own work.
  @inlinable @_disfavoredOverload
  public __consuming func receive<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil, bounded bound: Int,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) -> ExtendedPublishers.Bounded<Publishers.ReceiveOn<Self, S>> {
    ExtendedPublishers.Bounded(receive(on: scheduler, options: options), bounded: bound, whenFull: whenFull)
  }

  /// Delivers values and the completion on an actor, for which a bounded number of values waits.
  ///
  /// ```swift
  /// prices.receive(on: account, bounded: 100, whenFull: .dropOldest).sink { account, price in account.price = price }
  /// ```
  ///
  /// Values are delivered as with `receive(on:)` and an actor. The bound, `whenFull` and the demand work as in the form with
  /// a scheduler: demand is unlimited, or with `.wait` as many values as fit. Cancellation drops the waiting values.
  ///
  /// - Parameters:
  ///   - actor: The actor on which values and the completion are delivered.
  ///   - bound: The maximum number of values that wait. A number below one stops the program with a message.
  ///   - whenFull: The strategy for a value for which there is no room.
  /// - Returns: A publisher that delivers on the actor.
  /// - Complexity: Amortized O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func receive<Context: Actor>(
    on actor: Context, bounded bound: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) -> ExtendedPublishers.Bounded<ExtendedPublishers.ReceiveOnActor<Self, Context>> {
    ExtendedPublishers.Bounded(receive(on: actor), bounded: bound, whenFull: whenFull)
  }
}

extension Publishers.ReceiveOn: BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(
      subscriber, scheduling: Timing(scheduler, options).makeSchedule(), bounded: size, whenFull: whenFull)
  }
}

extension ExtendedPublishers.ReceiveOnActor: BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    let place = ActorContext(actor)
    upstream.subscribe(
      subscriber, scheduling: { engine, _ in place.drain(engine) }, bounded: size, whenFull: whenFull)
  }
}

extension ExtendedPublishers.Bounded: IsolatedPublisher where Base: IsolatedPublisher {
  /// The actor on which values and the completion are delivered.
  public var actor: Base.Context { base.actor }
}

extension Publisher {
  /// Attaches a subscriber to which values are delivered where `schedule` makes the engine deliver.
  @inlinable
  func subscribe<S: Subscriber>(
    _ subscriber: S, scheduling schedule: @escaping AnyOutlet.Schedule, bounded size: Int,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    let engine = Engine.receivingOn(bounded: size, whenFull.overflow)
    let outlet = engine.makeOutlet(for: subscriber, schedule: schedule)
    outlet.keep(whenFull.error, for: engine)
    engine.attach(self, BufferSubscriber(engine, outlet))
  }
}

extension Engine {
  @usableFromInline
  static func receivingOn(bounded size: Int, _ overflow: Overflow) -> Engine {
    Engine(BoundedReceiveOnMachine(size: size, overflow: overflow))
  }
}

// MARK: Several sources

extension Publisher {
  /// Merges the values of this publisher with values of another, while a bounded number of values waits.
  ///
  /// ```swift
  /// keyboard.merge(with: network, bounded: 100, whenFull: .dropOldest)
  /// ```
  ///
  /// While one thread delivers a value, the values of other threads wait. Without a bound, any number of them can wait.
  /// `whenFull` decides about a value that arrives when `bounded` values already wait for delivery or for demand, as with
  /// `receive(on:bounded:whenFull:)`. The operator requests unlimited demand from both immediately. With `.wait`, it requests
  /// one value at a time from each, and the next when that one has been delivered, even if downstream requests unlimited
  /// demand.
  ///
  /// Handles completion and cancellation like `merge(with:)`.
  ///
  /// - Parameters:
  ///   - other: The publisher to merge with.
  ///   - bound: The maximum number of values that wait. A number below one stops the program with a message.
  ///   - whenFull: The strategy for a value for which there is no room.
  /// - Returns: A publisher of the values of both.
  /// - Complexity: Amortized O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func merge<P: Publisher>(
    with other: P, bounded bound: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) -> ExtendedPublishers.Bounded<Publishers.Merge<Self, P>> where P.Output == Output, P.Failure == Failure {
    ExtendedPublishers.Bounded(Publishers.Merge(self, other), bounded: bound, whenFull: whenFull)
  }

  /// Transforms each value into a publisher and merges their values, of which a bounded number waits.
  ///
  /// ```swift
  /// connections.flatMap(bounded: 1_000, whenFull: .fail(Overload())) { $0.messages }
  /// ```
  ///
  /// `whenFull` decides about a value that arrives when `bounded` values already wait for delivery or for demand, as with
  /// `receive(on:bounded:whenFull:)`. The operator requests unlimited demand from each publisher on subscription. With
  /// `.wait`, it requests one value at a time from each, and at most `bounded` publishers run at a time.
  ///
  /// Handles upstream demand, completion and cancellation like `flatMap(maxPublishers:_:)`.
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of publishers that run at a time. It must not be `.none`.
  ///   - bound: The maximum number of values that wait. A number below one stops the program with a message.
  ///   - whenFull: The strategy for a value for which there is no room.
  ///   - transform: A closure that takes a value and returns the publisher to subscribe to.
  /// - Returns: A publisher of the values of all these publishers.
  /// - Complexity: Amortized O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, bounded bound: Int,
    whenFull: Publishers.BufferingStrategy<Failure>, _ transform: @escaping (Output) -> P
  ) -> ExtendedPublishers.Bounded<Publishers.FlatMap<P, Self>> where P.Failure == Failure {
    ExtendedPublishers.Bounded(
      Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform), bounded: bound,
      whenFull: whenFull)
  }
}

extension Collection where Element: Publisher {
  /// Merges all publishers of the collection into one, while a bounded number of values waits.
  ///
  /// It behaves like `merge(with:bounded:whenFull:)`.
  ///
  /// - Parameters:
  ///   - bound: The maximum number of values that wait. A number below one stops the program with a message.
  ///   - whenFull: The strategy for a value for which there is no room.
  /// - Returns: A publisher of the values of all publishers.
  /// - Complexity: Amortized O(1) for each value.
  @inlinable @_disfavoredOverload
  public func merge(
    bounded bound: Int, whenFull: Publishers.BufferingStrategy<Element.Failure>
  ) -> ExtendedPublishers.Bounded<Publishers.MergeMany<Element>> {
    ExtendedPublishers.Bounded(merge(), bounded: bound, whenFull: whenFull)
  }
}

extension Publishers.Merge: BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    let merging = Merging(subscriber, count: 2, bounded: size, whenFull)
    merging.attach(a, 0)
    merging.attach(b, 1)
  }
}

extension Publishers.MergeMany: BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    if publishers.isEmpty { return subscriber.receiveOnly(.finished) }
    let merging = Merging(subscriber, count: publishers.count, bounded: size, whenFull)
    for (slot, publisher) in publishers.enumerated() { merging.attach(publisher, .init(slot)) }
  }
}

extension Merging {
  @inlinable @inline(__always)
  init<Downstream: Subscriber>(
    _ downstream: Downstream, count: Int, bounded size: Int, _ whenFull: Publishers.BufferingStrategy<Failure>
  ) where Downstream.Input == Output, Downstream.Failure == Failure {
    self.init(downstream, in: .merge(count: count, bounded: size, whenFull.overflow))
    outlet.keep(whenFull.error, for: engine)
  }
}

extension Publishers.FlatMap: BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    let engine = Engine.flatMap(maxPublishers: maxPublishers, bounded: size, whenFull.overflow)
    let outlet = engine.makeOutlet(for: subscriber)
    outlet.keep(whenFull.error, for: engine)
    engine.attach(upstream, FlatMapSubscriber(engine, outlet, maxPublishers: maxPublishers, transform))
  }
}

// MARK: A subscriber of its own

extension Publisher {
  /// Shares one subscription among many subscribers, for each of which a bounded number of values waits.
  ///
  /// ```swift
  /// let messages = room.share(bounded: 1_000, whenFull: .cancel)   // a client that does not read is disconnected
  /// ```
  ///
  /// As with ``share()``, the first subscriber connects to upstream, from which unlimited demand is requested. Each
  /// subscriber has its own buffer for the values for which it has no demand. So a slow subscriber doesn't delay the others,
  /// and loses no values until `bounded` of them wait. `whenFull` decides about the next one, for that subscriber alone.
  /// `.cancel` drops its waiting values and ends its stream with a completion. `.wait` stops the program with a message,
  /// because a source that several subscribers share can't wait for one of them. If your senders can wait, use a
  /// ``BoundedSubject``.
  ///
  /// - Parameters:
  ///   - bound: The maximum number of values that wait for a subscriber. A number below one stops the program with a message.
  ///   - whenFull: The strategy for a value for which there is no room.
  /// - Returns: A publisher of the same values. Its copies share the subscription.
  /// - Complexity: O(*n*) for each value, where *n* is the number of subscribers.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func share(
    bounded bound: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Publishers.Share<Self>> {
    if case .wait = whenFull {
      stopProgram(
        "share(bounded:whenFull:) cannot wait: its subscribers share one source. "
          + "Use .dropOldest, .dropNewest, .fail or .cancel."
      )
    }
    require(bound > 0, or: "share(bounded:whenFull:) requires a bound of at least 1, got \(bound).")
    return share().buffer(size: bound, prefetch: .byRequest, whenFull: whenFull)
  }

  /// The values of this publisher as an asynchronous sequence, with a bounded number of waiting values.
  ///
  /// ```swift
  /// for await position in positions.values(bounded: 1, whenFull: .dropOldest) { await draw(position) }
  /// ```
  ///
  /// `.wait` requests as many values as fit. The other strategies request unlimited demand and decide about a value that
  /// arrives while `bounded` values wait for your loop. `.fail(_:)` throws its error after the values that wait, and
  /// `.cancel` ends the loop. Threads, cancellation and failures work as for ``AsyncPublisher``.
  ///
  /// - Parameters:
  ///   - bound: The maximum number of values that wait. A number below one stops the program with a message.
  ///   - whenFull: The strategy for a value for which there is no room.
  /// - Returns: An asynchronous sequence whose iterators subscribe to this publisher.
  /// - Complexity: O(1) for each value.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func values(
    bounded bound: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) -> AsyncPublisher<Publishers.Buffer<Self>> {
    require(bound > 0, or: "values(bounded:whenFull:) requires a bound of at least 1, got \(bound).")
    return buffer(size: bound, prefetch: .byRequest, whenFull: whenFull).values
  }
}
