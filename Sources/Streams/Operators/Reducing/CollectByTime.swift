extension Publisher {
  /// Collects the values of each interval into an array, or those of an interval until the array is full.
  ///
  ///     clicks.collect(.byTime(DispatchQueue.main, .seconds(1)))
  ///     rows.collect(.byTimeOrCount(DispatchQueue.main, .seconds(1), 100))
  ///
  /// ![Marble diagram of collect by time](diagram-collect-byTime)
  ///
  /// ![Marble diagram of collect by time or count](diagram-collect-byTimeOrCount)
  ///
  /// The intervals follow one another from the subscription on, and do not drift. At the end of one, the array is delivered on
  /// the scheduler, or, if another thread is delivering one just then, by that thread; an interval without values has none. An
  /// array that is full is delivered at once, by whoever sends its last value, and the next one is collected until the same
  /// interval ends. When upstream finishes, what has been collected is sent, and the completion follows; a failure drops it.
  /// On a scheduler that runs work at once, each value is an array.
  ///
  /// - `.byTime` asks for everything once the first array is asked for: how many values an interval has is not known.
  /// - `.byTimeOrCount` asks for `count` values for each array that is asked for.
  ///
  /// An array for which there is no demand waits until it is asked for, and so does the completion behind it. A timer is armed
  /// while an interval lasts in which a value has come, and never more than one; cancelling disarms it.
  ///
  /// - Parameters:
  ///   - strategy: How values are grouped, with the scheduler and the length of the intervals.
  ///   - options: How the scheduler is to run the deliveries.
  /// - Precondition: A count is positive.
  @inlinable
  public __consuming func collect<S: Scheduler>(
    _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
  ) -> Publishers.CollectByTime<Self, S> {
    Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
  }
}

extension Publishers {
  /// How ``Publisher/collect(_:options:)`` groups values.
  @frozen
  public enum TimeGroupingStrategy<Context: Scheduler> {
    /// Those that come in each interval.
    case byTime(Context, Context.SchedulerTimeType.Stride)

    /// Those that come in each interval, and so many at most.
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

  /// The publisher of ``Publisher/collect(_:options:)``.
  @frozen
  public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The type of value this publisher publishes.
    public typealias Output = [Upstream.Output]

    /// The type of error this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are collected.
    public let upstream: Upstream

    /// How they are grouped.
    public let strategy: TimeGroupingStrategy<Context>

    /// The options with which deliveries are scheduled.
    public let options: Context.SchedulerOptions?

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?) {
      if let count = strategy.count {
        require(
          count > 0,
          or:
            "collect(.byTimeOrCount(…, \(count))): an array must have room for a value. Collect at least one value at a "
            + "time.")
      }
      self.upstream = upstream
      self.strategy = strategy
      self.options = options
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = Engine.collecting(limit: strategy.count)
      let intervals = Intervals<Upstream.Output, Failure, Context>(strategy.scheduler, options, strategy.interval)
      let outlet = engine.makeOutlet(for: subscriber, schedule: { intervals.schedule($0, $1) })
      engine.guarded { outlet.keep(intervals.slot) }
      if !engine.isOver { engine.attach(upstream, CollectByTimeSubscriber(engine, outlet, intervals)) }
    }
  }
}

@usableFromInline @frozen
struct CollectByTimeSubscriber<Element, Failure: Error, Context: Scheduler>: OnlyChild {
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<[Element], Failure>
  @usableFromInline let intervals: Intervals<Element, Failure, Context>
  @usableFromInline let slot: GroupSlot<Element>

  @inlinable
  init(_ engine: Engine, _ outlet: Outlet<[Element], Failure>, _ intervals: Intervals<Element, Failure, Context>) {
    self.engine = engine
    self.outlet = outlet
    self.intervals = intervals
    slot = intervals.slot
  }

  @inlinable
  func receive(subscription: any Subscription) {
    intervals.timing.start(engine, after: intervals.interval)
    engine.connect(subscription, to: 0)
  }

  @inlinable @inline(__always)
  func receive(_ input: Element) -> Subscribers.Demand {
    var full: [Element]?
    switch engine.combineDirect(
      from: 0, store: { slot.group.append(input) }, combine: { full = slot.take() })
    {
    case .incomplete: break
    case .complete:
      // The machine has recorded unlimited demand, to which nothing can be added.
      _ = outlet.pass(full.unsafelyUnwrapped)
      engine.endDirect()
    case .refused: wait(input)
    }
    return .none
  }

  /// Keeps a value about which the machine has to be asked, and leaves the array that it fills to whoever is delivering.
  @inlinable @inline(never)
  func wait(_ input: Element) {
    engine.receive(
      from: 0, store: { slot.group.append(input) }, combine: { outlet.queue.append(slot.take()) })
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard case .finished = completion else { return outlet.end(0, with: completion, through: engine) }
    engine.end(
      0, failed: false, store: { if !slot.group.isEmpty { outlet.queue.append(slot.take()) } })
  }
}

/// The array that is being filled; protected by the engine's lock.
@usableFromInline @_fixed_layout
final class GroupSlot<Element>: AnySlot {
  // Exclusive: reached only under the lock of the engine, which runs nothing unknown meanwhile.
  @usableFromInline @exclusivity(unchecked) var group: [Element] = []

  @inlinable
  override init() {}

  @inlinable
  func take() -> [Element] {
    var taken: [Element] = []
    swap(&taken, &group)
    return taken
  }

  @usableFromInline
  override func discard(_ engine: Engine) {
    _ = engine.guarded { take() }
  }
}

/// Arms the timer for the end of the interval that lasts, and ends the array that is being filled when it fires.
///
/// The date of its `timing` is the end of an interval: the next one, or one that has passed since nothing came.
@usableFromInline @_fixed_layout
final class Intervals<Element, Failure: Error, Context: Scheduler> {
  @usableFromInline let timing: Timing<Context>
  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  @usableFromInline let slot = GroupSlot<Element>()

  @inlinable
  init(_ scheduler: Context, _ options: Context.SchedulerOptions?, _ interval: Context.SchedulerTimeType.Stride) {
    timing = Timing(scheduler, options)
    self.interval = interval
  }

  @inlinable
  func schedule(_ engine: Engine, _ alarm: Alarm?) {
    guard let alarm, let earlier = engine.guarded({ timing.date }) else { return timing.drain(engine) }
    let date = end(from: earlier, after: timing.scheduler.now)
    engine.guarded { timing.date = date }
    timing.arm(engine, alarm, at: date) { [slot] in
      engine.fired(
        alarm, from: CollectByTimeMachine.intervalEnd,
        combine: { unsafeDowncast($0, to: Outlet<[Element], Failure>.self).queue.append(slot.take()) })
    }
  }

  /// The end of the interval that lasts now, given that of an earlier one.
  ///
  /// Intervals that have passed are left out by twos, fours, eights …, since a stride cannot be divided: a stream may have been
  /// quiet for a million of them.
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
      // At the end of time there is no later date.
      if next <= date { return date }
      date = next
    }
    return date
  }
}

extension Engine {
  @usableFromInline
  static func collecting(limit: Int?) -> Engine { Engine(CollectByTimeMachine(limit: limit)) }
}

extension Publishers.TimeGroupingStrategy: Sendable
where Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}
extension Publishers.CollectByTime: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
