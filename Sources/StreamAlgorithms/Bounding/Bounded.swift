public import Streams

/// A publisher in which values can be waiting: for the scheduler or the actor that it delivers them on, or until another thread
/// has delivered its value.
///
/// The publishers that `receive(on:)`, `merge` and `flatMap` return conform to this protocol. If you also pass `bounded` and
/// `whenFull`, you get an ``BoundedPublisher`` instead.
public protocol BoundablePublisher: Publisher {
  /// Attaches a subscriber and limits the number of values that may be waiting for it.
  ///
  /// - Parameters:
  ///   - subscriber: The subscriber.
  ///   - size: The maximum number of waiting values, at least 1.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  @_disfavoredOverload
  func receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: OverflowStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure
}

/// A publisher that limits the number of waiting values.
///
/// You get one from `receive(on:)`, `merge(with:)` or `flatMap(_:)` when you also pass `bounded` and `whenFull`.
@frozen
public struct BoundedPublisher<Base: BoundablePublisher>: Publisher {
  public typealias Output = Base.Output
  public typealias Failure = Base.Failure

  /// The publisher without the bound.
  public let base: Base

  /// The maximum number of waiting values.
  public let bound: Int

  /// The strategy for handling a value when there's no room for it.
  public let whenFull: OverflowStrategy<Failure>

  /// Creates the publisher.
  ///
  /// - Parameters:
  ///   - base: The publisher in which values can be waiting.
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  @inlinable
  public init(_ base: Base, bounded bound: Int, whenFull: OverflowStrategy<Failure>) {
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

// MARK: Delivering elsewhere

extension Publisher {
  /// Delivers values and the completion on a scheduler, and limits the number of values waiting for it.
  ///
  /// ```swift
  /// positions.receive(on: DispatchQueue.main, bounded: 1, whenFull: .dropOldest).sink { show($0) }   // the newest at any time
  /// lines.receive(on: writer, bounded: 64, whenFull: .wait).sink { file.write($0) }   // reads no faster than it writes
  /// ```
  ///
  /// Without a bound, memory use keeps growing if a publisher sends values faster than the scheduler delivers them. Here, at
  /// most `bounded` values are waiting for the scheduler and for downstream demand. The value being delivered doesn't count.
  /// `whenFull` determines what happens to a value when there's no room for it:
  ///
  /// - `.dropOldest` replaces the value that has been waiting longest.
  /// - `.dropNewest` drops the new value.
  /// - `.fail(_:)` cancels upstream and delivers the waiting values, then the error.
  /// - `.cancel` cancels upstream, drops the waiting values and finishes.
  /// - With `.wait`, there's always room. The operator requests as many values from upstream as fit, and more when half of them
  ///   have been delivered, regardless of what downstream requests.
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
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  /// - Returns: A publisher that publishes the same values, delivered on the scheduler.
  /// - Complexity: Amortized O(1) for each value, plus the scheduler's own work.
  @inlinable @_disfavoredOverload
  public __consuming func receive<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil, bounded bound: Int,
    whenFull: OverflowStrategy<Failure>
  ) -> BoundedPublisher<Publishers.ReceiveOn<Self, S>> {
    BoundedPublisher(receive(on: scheduler, options: options), bounded: bound, whenFull: whenFull)
  }

  /// Delivers values and the completion on an actor, and limits the number of values waiting for it.
  ///
  /// ```swift
  /// prices.receive(on: account, bounded: 100, whenFull: .dropOldest).sink { account, price in account.price = price }
  /// ```
  ///
  /// The operator delivers values as `receive(on:)` does with an actor. `bounded` and `whenFull` work as they do with a
  /// scheduler: the operator requests unlimited demand, or, with `.wait`, as many values as fit. Cancellation drops the waiting
  /// values.
  ///
  /// - Parameters:
  ///   - actor: The actor on which values and the completion are delivered.
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  /// - Returns: A publisher that publishes the same values, delivered on the actor.
  /// - Complexity: Amortized O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func receive<Context: Actor>(
    on actor: Context, bounded bound: Int, whenFull: OverflowStrategy<Failure>
  ) -> BoundedPublisher<ReceiveOnActorPublisher<Self, Context>> {
    BoundedPublisher(receive(on: actor), bounded: bound, whenFull: whenFull)
  }
}

extension Publishers.ReceiveOn: BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: OverflowStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    let bound = Bound(size, whenFull, in: "receive(on:bounded:whenFull: .wait)")
    upstream.subscribe(subscriber, at: SchedulerPlace(scheduler, options), bound)
  }
}

extension ReceiveOnActorPublisher: BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: OverflowStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    let bound = Bound(size, whenFull, in: "receive(on:bounded:whenFull: .wait)")
    upstream.subscribe(subscriber, at: ActorPlace(actor), bound)
  }
}

extension BoundedPublisher: IsolatedPublisher where Base: IsolatedPublisher {
  /// The actor on which values and the completion are delivered.
  public var actor: Base.Context { base.actor }
}

// MARK: Several sources

extension Publisher {
  /// Merges values from this publisher with values from another, and limits the number of waiting values.
  ///
  /// ```swift
  /// keyboard.merge(with: network, bounded: 100, whenFull: .dropOldest)
  /// ```
  ///
  /// While one thread delivers a value, other threads' values have to wait, and without a bound, any number of them can
  /// accumulate. As with `receive(on:bounded:whenFull:)`, `whenFull` determines what happens to a value that arrives when
  /// `bounded` values are already waiting for delivery or for demand. The operator immediately requests unlimited demand from
  /// both publishers. With `.wait`, it requests one value from each, and the next one when that value has been delivered, even
  /// if downstream requests unlimited demand.
  ///
  /// Handles completion and cancellation like `merge(with:)`.
  ///
  /// - Parameters:
  ///   - other: The publisher to merge with.
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  /// - Returns: A publisher that publishes the values from both publishers.
  /// - Complexity: Amortized O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func merge<P: Publisher>(
    with other: P, bounded bound: Int, whenFull: OverflowStrategy<Failure>
  ) -> BoundedPublisher<Publishers.Merge<Self, P>> where P.Output == Output, P.Failure == Failure {
    BoundedPublisher(Publishers.Merge(self, other), bounded: bound, whenFull: whenFull)
  }

  /// Transforms each value into a publisher, merges the values from these publishers, and limits the number of waiting values.
  ///
  /// ```swift
  /// connections.flatMap(bounded: 1_000, whenFull: .fail(Overload())) { $0.messages }
  /// ```
  ///
  /// As with `receive(on:bounded:whenFull:)`, `whenFull` determines what happens to a value that arrives when `bounded` values
  /// are already waiting for delivery or for demand. The operator requests unlimited demand from each publisher on
  /// subscription. With `.wait`, it requests one value at a time from each, and at most `bounded` publishers run at a time.
  ///
  /// Handles upstream demand, completion and cancellation like `flatMap(maxPublishers:_:)`.
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of publishers that run at a time. It must not be `.none`.
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  ///   - transform: A closure that takes a value and returns the publisher to subscribe to.
  /// - Returns: A publisher that publishes the values from all these publishers.
  /// - Complexity: Amortized O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, bounded bound: Int,
    whenFull: OverflowStrategy<Failure>, _ transform: @escaping (Output) -> P
  ) -> BoundedPublisher<Publishers.FlatMap<P, Self>> where P.Failure == Failure {
    BoundedPublisher(
      Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform), bounded: bound,
      whenFull: whenFull)
  }
}

extension Collection where Element: Publisher {
  /// Merges all publishers in the collection into one, and limits the number of waiting values.
  ///
  /// It behaves like `merge(with:bounded:whenFull:)`.
  ///
  /// - Parameters:
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  /// - Returns: A publisher that publishes the values from all publishers.
  /// - Complexity: Amortized O(1) for each value.
  @inlinable @_disfavoredOverload
  public func merge(
    bounded bound: Int, whenFull: OverflowStrategy<Element.Failure>
  ) -> BoundedPublisher<Publishers.MergeMany<Element>> {
    BoundedPublisher(merge(), bounded: bound, whenFull: whenFull)
  }
}

extension Publishers.Merge: BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: OverflowStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    let bound = Bound(size, whenFull, in: "merge(with:bounded:whenFull: .wait)")
    let engine = Engine.make(MergeMachine<Output, Failure>(count: 2, .merge, bound), bound, for: subscriber)
    engine.attach(a, slot: 1)
    engine.attach(b, slot: 2)
  }
}

extension Publishers.MergeMany: BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: OverflowStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    if publishers.isEmpty { return subscriber.receiveOnly(.finished) }
    let bound = Bound(size, whenFull, in: "merge(with:bounded:whenFull: .wait)")
    let machine = MergeMachine<Output, Failure>(count: publishers.count, .merge, bound)
    let engine = Engine.make(machine, bound, for: subscriber)
    for (slot, publisher) in publishers.enumerated() { engine.attach(publisher, slot: slot + 1) }
  }
}

extension Publishers.FlatMap: BoundablePublisher {
  @inlinable @inline(__always) @_disfavoredOverload
  public func receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: OverflowStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure {
    let bound = Bound(size, whenFull, in: "flatMap(bounded:whenFull: .wait)")
    let machine = MergeMachine<Output, Failure>(maxPublishers: maxPublishers, .flatMap, bound)
    Engine.make(machine, bound, for: subscriber).attach(outer: upstream, transform)
  }
}

// MARK: A subscriber of its own

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
