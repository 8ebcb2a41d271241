extension Publisher {
  /// Limits the number of values delivered in any interval, and queues excess values.
  ///
  ///     requests.rateLimit(10, per: .seconds(1), scheduler: queue, queueSize: 1000, whenFull: .dropNewest)
  ///
  /// ![The source publishes a, b, c, d and e at 100, 200, 300, 400 and 900 ms and finishes at 1.1 s; the result publishes a, b, c, d and e at 100, 200, 500, 600 and 900 ms and finishes at 1.1 s.](diagram-rateLimit)
  ///
  /// The interval slides: at least one interval passes between the delivery of a value and that of the value `count` places
  /// after it. After a pause, `count` values may therefore be delivered at the same time.
  ///
  /// The operator requests unlimited demand from upstream, or, with `.wait`, as many values as there's room for. At most
  /// `queueSize` values are waiting for their turn or for downstream demand. `whenFull` determines what happens to a value when
  /// there's no room for it. A value whose turn has come is no longer in the queue, even if the scheduler has yet to deliver
  /// it, and no later value displaces it. With a `queueSize` of 0, a value whose turn hasn't come is dropped, or it fails the
  /// stream.
  ///
  /// A completion or failure waits until the queue is empty. Values and the completion are delivered on the scheduler, in
  /// order. At most one timer is armed, and cancellation disarms it. On a scheduler that runs work immediately, no time passes,
  /// so no value is held back.
  ///
  /// - Parameters:
  ///   - count: The maximum number of values in an interval.
  ///   - interval: The length of the interval.
  ///   - scheduler: The scheduler that measures the interval and delivers values and the completion.
  ///   - options: The options to pass to the scheduler.
  ///   - queueSize: The maximum number of waiting values.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  /// - Returns: A publisher that delivers at most `count` values in any interval.
  /// - Precondition: `count` and `interval` are positive, and `queueSize` isn't negative.
  /// - Complexity: Amortized O(1) for each value, or O(`count`) if the value displaces another while the scheduler has yet to
  ///   deliver values whose turn has come. The operator stores the dates of the last `count` deliveries.
  @inlinable @_disfavoredOverload
  public __consuming func rateLimit<S: Scheduler>(
    _ count: Int, per interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
    queueSize: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) -> ExtendedPublishers.RateLimit<Self, S> {
    ExtendedPublishers.RateLimit(
      upstream: self, count: count, interval: interval, scheduler: scheduler, options: options, queueSize: queueSize,
      whenFull: whenFull)
  }
}

extension ExtendedPublishers {
  /// The publisher that `rateLimit(_:per:scheduler:options:queueSize:whenFull:)` returns.
  @frozen
  public struct RateLimit<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are delivered at a limited rate.
    public let upstream: Upstream

    /// The maximum number of values in an interval.
    public let count: Int

    /// The length of the interval.
    public let interval: Context.SchedulerTimeType.Stride

    /// The scheduler that delivers values.
    public let scheduler: Context

    /// The options to pass to the scheduler.
    public let options: Context.SchedulerOptions?

    /// The maximum number of waiting values.
    public let queueSize: Int

    /// The strategy for handling a value when there's no room for it.
    public let whenFull: Publishers.BufferingStrategy<Upstream.Failure>

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose values are delivered at a limited rate.
    ///   - count: The maximum number of values in an interval.
    ///   - interval: The length of the interval.
    ///   - scheduler: The scheduler that measures the interval and delivers values and the completion.
    ///   - options: The options to pass to the scheduler.
    ///   - queueSize: The maximum number of waiting values.
    ///   - whenFull: The strategy for handling a value when there's no room for it.
    @inlinable
    public init(
      upstream: Upstream, count: Int, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
      options: Context.SchedulerOptions?, queueSize: Int, whenFull: Publishers.BufferingStrategy<Upstream.Failure>
    ) {
      require(count > 0, or: "rateLimit(_:per:) requires a count of at least 1, got \(count).")
      require(interval > .seconds(0), or: "rateLimit(_:per:) requires an interval longer than zero.")
      requireNotNegative(queueSize, in: "rateLimit(queueSize:)", "a size")
      whenFull.requireRoom(queueSize, in: "rateLimit(queueSize:)")
      self.upstream = upstream
      self.count = count
      self.interval = interval
      self.scheduler = scheduler
      self.options = options
      self.queueSize = queueSize
      self.whenFull = whenFull
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let machine = OldEngine.rateLimitMachine(size: queueSize, whenFull.overflow)
      let engine = OldEngine.rateLimiting(machine)
      let rate = Rate(scheduler, options, count, interval, machine)
      let outlet = engine.makeOutlet(for: subscriber, schedule: { rate.schedule($0, $1) })
      outlet.keep(whenFull.error, for: engine)
      engine.attach(upstream, RateLimitSubscriber(engine, outlet, rate))
    }
  }
}

@usableFromInline @frozen
struct RateLimitSubscriber<Input, Failure: Error, Context: Scheduler>: EngineChild {
  @usableFromInline let engine: OldEngine
  @usableFromInline let outlet: Outlet<Input, Failure>
  @usableFromInline let rate: Rate<Context>

  @inlinable
  init(_ engine: OldEngine, _ outlet: Outlet<Input, Failure>, _ rate: Rate<Context>) {
    self.engine = engine
    self.outlet = outlet
    self.rate = rate
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    let now = rate.timing.scheduler.now
    outlet.leave(input, through: engine) { rate.receive(at: now, &$0) }
    return .none
  }
}

/// The dates at which the last values were granted. They determine the date of the next grant. The engine's lock protects
/// them.
@usableFromInline @_fixed_layout
final class Rate<Context: Scheduler> {
  @usableFromInline let timing: Timing<Context>
  @usableFromInline let count: Int
  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  @usableFromInline let machine: RateLimitMachine
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @usableFromInline @exclusivity(unchecked) var dates = Ring<Context.SchedulerTimeType>()

  @inlinable
  init(
    _ scheduler: Context, _ options: Context.SchedulerOptions?, _ count: Int,
    _ interval: Context.SchedulerTimeType.Stride, _ machine: RateLimitMachine
  ) {
    timing = Timing(scheduler, options)
    self.count = count
    self.interval = interval
    self.machine = machine
  }

  /// The date before which no other value may be granted, if there is one.
  @inlinable
  var next: Context.SchedulerTimeType? { dates.count < count ? nil : dates.first?.advanced(by: interval) }

  /// Grants a value if the rate allows it, and returns whether it did.
  @inlinable
  func grants(at now: Context.SchedulerTimeType) -> Bool {
    if let next {
      if now < next { return false }
      _ = dates.popFirst()
    }
    dates.append(now)
    return true
  }

  /// Determines what happens to a value that arrives now. Called under the lock.
  @inlinable
  func receive(at now: Context.SchedulerTimeType, _ effects: inout Effects) -> OldMachine.Reception {
    guard machine.isNext() else { return machine.received(isGranted: false, &effects) }
    limitDates(to: now)
    return machine.received(isGranted: grants(at: now), &effects)
  }

  @inlinable
  func schedule(_ engine: OldEngine, _ request: OldEngine.ScheduleRequest) {
    guard case .timer(let timerID) = request else { return timing.drain(engine) }
    let now = timing.scheduler.now
    let date = engine.guarded {
      limitDates(to: now)
      return next.map { Swift.max(now, $0) } ?? now
    }
    timing.armWaiting(engine, timerID, at: date) { self.fired(engine, timerID, for: date) }
  }

  /// Treats values that were granted later than now, before the clock was set back, as granted now.
  @inlinable
  func limitDates(to now: Context.SchedulerTimeType) {
    guard !dates.isEmpty, dates[dates.count &- 1] > now else { return }
    for index in 0..<dates.count { dates[index] = Swift.min(dates[index], now) }
  }

  /// Moves the dates, because the clock reads `now` when it should read `date`.
  @inlinable
  func moveDates(from date: Context.SchedulerTimeType, to now: Context.SchedulerTimeType) {
    if date == now { return }
    let shift = date.distance(to: now)
    for index in 0..<dates.count { dates[index] = dates[index].advanced(by: shift) }
  }

  @inlinable
  func fired(_ engine: OldEngine, _ timerID: OldMachine.TimerID, for date: Context.SchedulerTimeType) {
    let now = timing.scheduler.now
    let thread = ThreadContext.identity
    engine.guarded {
      // Everything is granted on a scheduler that doesn't wait.
      let isWaiting = !timing.isArming(on: thread)
      // The timer measures the time, even if the clock was set or the timer fires early or late.
      if isWaiting { moveDates(from: date, to: now) }
      while machine.hasCandidate(), !isWaiting || grants(at: now) { machine.grant() }
    }
    engine.fired(timerID)
  }
}

extension OldEngine {
  @usableFromInline
  static func rateLimitMachine(size: Int, _ overflow: Overflow) -> RateLimitMachine {
    RateLimitMachine(size: size, overflow: overflow)
  }

  @usableFromInline
  static func rateLimiting(_ machine: RateLimitMachine) -> OldEngine { OldEngine(machine) }
}
