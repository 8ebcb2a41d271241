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
  /// operator publishes an array, unless no values have arrived. An array that reaches the maximum count is published as soon
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
      let engine = OldEngine.collecting(limit: strategy.count)
      let intervals = Intervals<Upstream.Output, Failure, Context>(strategy.scheduler, options, strategy.interval)
      let outlet = engine.makeOutlet(for: subscriber, schedule: { intervals.schedule($0, $1) })
      outlet.keep(intervals.group, for: engine)
      engine.attach(upstream, CollectByTimeSubscriber(engine, outlet, intervals, strategy.count ?? .max))
    }
  }
}

@usableFromInline @frozen
struct CollectByTimeSubscriber<Element, Failure: Error, Context: Scheduler>: EngineChild {
  @usableFromInline let engine: OldEngine
  @usableFromInline let outlet: Outlet<[Element], Failure>
  @usableFromInline let intervals: Intervals<Element, Failure, Context>
  @usableFromInline let group: GroupStore<Element>
  /// The number of elements that complete a group.
  @usableFromInline let limit: Int

  @inlinable
  init(
    _ engine: OldEngine, _ outlet: Outlet<[Element], Failure>, _ intervals: Intervals<Element, Failure, Context>,
    _ limit: Int
  ) {
    self.engine = engine
    self.outlet = outlet
    self.intervals = intervals
    self.limit = limit
    group = intervals.group
  }

  @inlinable
  var machine: CollectByTimeMachine { unsafeDowncast(engine.machine, to: CollectByTimeMachine.self) }

  @inlinable
  func receive(subscription: any Subscription) {
    intervals.timing.start(engine, after: intervals.interval)
    engine.connect(subscription, to: 0)
  }

  @inlinable @inline(__always)
  func receive(_ input: Element) -> Subscribers.Demand {
    let outcome = engine.storeDirect(.setAside, unless: { group.count == limit &- 1 }) { group.append(input) }
    if case .refused = outcome { wait(input) }
    return .none
  }

  /// Adds an element to the group. This is a separate function so that the code that handles most elements stays small.
  @inlinable @inline(never)
  func wait(_ input: Element) {
    engine.receive(store: { group.append(input) }, combine: { outlet.queue.append(group.take()) }) {
      machine.received(completesGroup: group.count == limit - 1, &$0)
    }
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard case .finished = completion else {
      return outlet.end(with: completion, through: engine) { machine.ended(failed: $0, hasElements: false, &$1) }
    }
    engine.sourceEnded(store: { if !group.isEmpty { outlet.queue.append(group.take()) } }) {
      machine.ended(failed: false, hasElements: !group.isEmpty, &$0)
    }
  }
}

/// The array being filled. The lock of the engine, which runs the operator's state machine, protects it.
@usableFromInline @_fixed_layout
final class GroupStore<Element>: AnyStore {
  // Exclusive: accessed only under the engine's lock, while no foreign code runs.
  @usableFromInline @exclusivity(unchecked) var elements: [Element] = []

  @inlinable
  override init() {}

  @inlinable
  var count: Int { elements.count }

  @inlinable
  var isEmpty: Bool { elements.isEmpty }

  @inlinable
  func append(_ element: Element) { elements.append(element) }

  @inlinable
  func take() -> [Element] {
    var taken: [Element] = []
    swap(&taken, &elements)
    return taken
  }

  @usableFromInline
  override func discard(_ engine: OldEngine) {
    _ = engine.guarded { take() }
  }
}

/// Arms the timer for the end of the current interval. When the timer fires, the array being filled is complete.
///
/// The date in its `timing` is the end of an interval: the current one, or a past one if no value has arrived since.
@usableFromInline @_fixed_layout
final class Intervals<Element, Failure: Error, Context: Scheduler> {
  @usableFromInline let timing: Timing<Context>
  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  @usableFromInline let group = GroupStore<Element>()

  @inlinable
  init(_ scheduler: Context, _ options: Context.SchedulerOptions?, _ interval: Context.SchedulerTimeType.Stride) {
    timing = Timing(scheduler, options)
    self.interval = interval
  }

  @inlinable
  func schedule(_ engine: OldEngine, _ request: OldEngine.ScheduleRequest) {
    guard case .timer(let timerID) = request, let earlier = engine.guarded({ timing.date }) else {
      return timing.drain(engine)
    }
    let now = timing.scheduler.now
    // If an end is further away than an interval, it was computed before the clock was set back.
    let date = end(from: Swift.min(earlier, now.advanced(by: interval)), after: now)
    engine.guarded { timing.date = date }
    timing.arm(engine, timerID, at: date) { [group] in
      let machine = unsafeDowncast(engine.machine, to: CollectByTimeMachine.self)
      engine.fired(
        timerID, combine: { unsafeDowncast($0, to: Outlet<[Element], Failure>.self).queue.append(group.take()) }
      ) { machine.intervalEnded(hasElements: !group.isEmpty) }
    }
  }

  /// The end of the current interval, given the end of an earlier one.
  ///
  /// Skips past intervals in steps of two, four, eight …, because a stride can't be divided. A stream may have been quiet for a
  /// million intervals.
  @inlinable
  func end(from earlier: Context.SchedulerTimeType, after now: Context.SchedulerTimeType) -> Context.SchedulerTimeType {
    guard interval > .zero else { return now }
    var date = earlier
    while date <= now {
      var step = interval
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
}

extension OldEngine {
  @usableFromInline
  static func collecting(limit: Int?) -> OldEngine { OldEngine(CollectByTimeMachine(limit: limit)) }
}

extension Publishers.TimeGroupingStrategy: Sendable
where Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}
extension Publishers.CollectByTime: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
