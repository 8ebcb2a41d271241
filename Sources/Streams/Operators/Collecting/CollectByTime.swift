extension Publisher {
  /// Collects the values from each interval into an array, optionally with a maximum number of elements.
  ///
  ///     clicks.collect(.byTime(DispatchQueue.main, .seconds(1)))
  ///     rows.collect(.byTimeOrCount(DispatchQueue.main, .seconds(1), 100))
  ///
  /// ![The source publishes 1, 2, 3, 4 and 5 at 100 ms, 200 ms, 400 ms, 900 ms and 1.1 s and finishes at 1.2 s; the result publishes [1, 2], [3] and [4, 5] at 300 ms, 600 ms and 1.2 s and finishes.](diagram-collect-byTime)
  ///
  /// ![The source publishes 1, 2, 3, 4 and 5 and finishes; the result publishes [1, 2], [3] and [4, 5] and finishes.](diagram-collect-byTimeOrCount)
  ///
  /// The first interval begins on subscription. Intervals follow one another without drifting. At the end of each interval, the
  /// operator publishes an array, unless no values have arrived. A value that arrives exactly then joins the array, or begins the
  /// next one if there is none. An array that reaches the maximum count is published as soon
  /// as the scheduler runs work. The next array then collects values until the end of the same interval.
  ///
  /// When upstream finishes, the operator publishes the remaining values, then the completion. A failure discards them, along
  /// with any full arrays that haven't been requested. Everything is delivered on the scheduler, including the completion and
  /// arrays that are requested late. On a scheduler that runs work immediately, each value becomes its own array.
  ///
  /// - `.byTime` requests unlimited demand from upstream on the first request, because the number of values in an interval is
  ///   unknown.
  /// - `.byTimeOrCount` requests `count` values from upstream for each array that downstream requests.
  ///
  /// If there's no demand for an array, it waits until it's requested, and the completion waits until after that. At most one
  /// timer is armed, and only during an interval in which a value has arrived. Cancellation disarms it. Passing a count that
  /// isn't positive stops the program with a message.
  ///
  /// - Parameters:
  ///   - strategy: The strategy that determines how values are grouped, with its scheduler and the length of the
  ///     intervals. A count must be positive.
  ///   - options: The options to use when scheduling deliveries.
  /// - Returns: A publisher that publishes arrays.
  /// - Complexity: Amortized O(1) for each value, and O((log *n*)²) for the first value after *n* intervals without
  ///   one.
  @inlinable
  public __consuming func collect<S: Scheduler>(
    _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
  ) -> Publishers.CollectByTime<Self, S> {
    Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
  }
}

extension Publishers {
  /// A strategy that determines how ``Publisher/collect(_:options:)`` groups values.
  @frozen
  public enum TimeGroupingStrategy<Context: Scheduler> {
    /// Groups the values from each interval of the given length, on the given scheduler.
    case byTime(Context, Context.SchedulerTimeType.Stride)

    /// Groups the values from each interval of the given length, with a maximum count for each array.
    case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)

    @inlinable
    var scheduler: Context {
      switch self {
      case .byTime(let scheduler, _), .byTimeOrCount(let scheduler, _, _): scheduler
      }
    }

    @inlinable
    var interval: Context.SchedulerTimeType.Stride {
      switch self {
      case .byTime(_, let interval), .byTimeOrCount(_, let interval, _): interval
      }
    }

    @inlinable
    var count: Int? {
      if case .byTimeOrCount(_, _, let count) = self { count } else { nil }
    }
  }

  /// The publisher that ``Publisher/collect(_:options:)`` returns.
  @frozen
  public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// The strategy for grouping values.
    public let strategy: TimeGroupingStrategy<Context>

    /// The options to use when scheduling deliveries.
    public let options: Context.SchedulerOptions?

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - strategy: The strategy for grouping values.
    ///   - options: The options to use when scheduling deliveries.
    @inlinable
    public init(upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?) {
      if let count = strategy.count {
        require(
          count > 0,
          or: "collect(.byTimeOrCount) requires a count of at least 1, got \(count).")
      }
      self.upstream = upstream
      self.strategy = strategy
      self.options = options
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let place = SchedulerPlace(strategy.scheduler, options)
      Engine.make(
        CollectByTimeMachine<Upstream.Output, Failure, Context>(place, Timing(strategy.interval), strategy.count),
        for: subscriber
      )
      .attach(upstream)
    }
  }
}

/// Collects elements into groups, which end after a number of elements, or at the end of an interval, whichever comes
/// first. Everything is delivered on the scheduler.
///
/// The timer is armed while an interval lasts in which an element has arrived.
@usableFromInline @frozen
struct CollectByTimeMachine<Element, Failure: Error, Context: Scheduler>: TimedMachine {
  @usableFromInline typealias Output = [Element]
  @usableFromInline typealias Time = Context.SchedulerTimeType?

  @usableFromInline let limit: Int?
  @usableFromInline var source = SingleSource()
  @usableFromInline let place: SchedulerPlace<Context>
  @usableFromInline var timing: Timing<Context>
  @usableFromInline var group: [Element] = []
  /// The context of the newest element of the group, if contexts are carried.
  @usableFromInline var context: ContextSnapshot?
  /// The end of an interval: the present one, or a past one if no element has arrived since.
  @usableFromInline var end: Context.SchedulerTimeType?
  @usableFromInline var hasAskedForAll = false

  @inlinable @inline(never)
  init(_ place: SchedulerPlace<Context>, _ timing: Timing<Context>, _ limit: Int?) {
    self.place = place
    self.timing = timing
    self.limit = limit
  }

  @inlinable var name: String { limit == nil ? "collect(.byTime)" : "collect(.byTimeOrCount)" }
  @inlinable static func needsTime(of signal: Signal) -> Bool { signal == .subscription }

  @inlinable
  mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? {
    if source.subscription != nil { return nil }
    end = timing.later
    return source.connected(subscription, requesting: elements(for: reaction.demand))
  }

  @inlinable
  mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {
    if source.subscription != nil { reaction.request(elements(for: more), from: source.subscription) }
    if reaction.hasCandidate { reaction.scheduleDelivery() }
  }

  /// The demand for elements that corresponds to a demand for groups.
  @usableFromInline
  mutating func elements(for groups: Subscribers.Demand) -> Subscribers.Demand {
    if let limit { return groups * limit }
    // The number of elements in an interval is unknown.
    if hasAskedForAll || groups == .none { return .none }
    hasAskedForAll = true
    return .unlimited
  }

  @inlinable @inline(__always)
  mutating func received(_ element: Element, from slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    group.append(element)
    reaction.keepContext(in: &context)
    if group.count == limit {
      endGroup(&reaction)
      reaction.scheduleDelivery()
    } else if !timing.timer.isArmed {
      timing.timer.arm(&reaction)
    }
  }

  @usableFromInline
  func inspect(_ tell: StreamFact.Tell) {
    inspectTiming(tell)
    tell(.held, group.count, nil)
  }

  /// Lets the group wait for its delivery, and begins another.
  @usableFromInline
  mutating func endGroup(_ reaction: inout Reaction<Output, Failure>) {
    reaction.store(takeGroup(), in: context)
  }

  @inlinable
  mutating func takeGroup() -> [Element] {
    var taken: [Element] = []
    swap(&taken, &group)
    return taken
  }

  @inlinable
  mutating func timerDate(at now: Context.SchedulerTimeType) -> Context.SchedulerTimeType {
    // If an end is further away than an interval, it was computed before the clock was set back.
    let date = end(from: min(end ?? now, now.advanced(by: timing.interval)), after: now)
    end = date
    return date
  }

  /// The end of the present interval, given the end of an earlier one.
  ///
  /// Skips past intervals in steps of two, four, eight …, because a stride can't be divided. A stream may have been quiet for a
  /// million intervals.
  @usableFromInline
  func end(from earlier: Context.SchedulerTimeType, after now: Context.SchedulerTimeType) -> Context.SchedulerTimeType {
    guard timing.interval > .zero else { return now }
    var date = earlier
    while date <= now {
      var step = timing.interval
      var doublings = 0
      while doublings < 62, date.advanced(by: step + step) <= now {
        step += step
        doublings += 1
      }
      let next = date.advanced(by: step)
      // At the end of representable time, there is no later date.
      if next <= date { return date }
      date = next
    }
    return date
  }

  @inlinable
  mutating func isDue(_ reaction: inout Reaction<Output, Failure>) {
    if group.isEmpty { return }
    endGroup(&reaction)
    deliveryBegins(&reaction)
  }

  @inlinable
  mutating func deliveryBegins(_ reaction: inout Reaction<Output, Failure>) {
    reaction.setReady(min(reaction.waiting, reaction.demand.max ?? .max))
  }

  @inlinable
  mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    source.ended(&reaction)
    timing.timer.disarm(&reaction)
    if case .failure = completion {
      // Groups that have been requested come first, even if the scheduler has yet to deliver an earlier one.
      deliveryBegins(&reaction)
      reaction.endEarly(with: completion)
    } else {
      if !group.isEmpty { endGroup(&reaction) }
      reaction.finish()
    }
    reaction.scheduleDelivery()
  }

  @inlinable
  mutating func tearDown(_ reaction: inout Reaction<Output, Failure>) {
    cancelSources(&reaction)
    timing.timer.disarm(&reaction)
    // What waits is released without the lock.
    if !group.isEmpty { endGroup(&reaction) }
    reaction.release(context.take())
  }
}

extension Publishers.TimeGroupingStrategy: Sendable
where Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}
extension Publishers.CollectByTime: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
