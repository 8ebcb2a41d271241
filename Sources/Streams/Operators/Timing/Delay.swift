extension Publisher {
  /// Delivers values and the completion after a delay, on a scheduler.
  ///
  ///     publisher.delay(for: .seconds(1), scheduler: DispatchQueue.main)
  ///
  /// ![The source publishes a, b and c at 100, 300 and 400 ms and finishes at 600 ms; the result publishes a, b and c at 400, 600 and 700 ms and finishes at 900 ms.](diagram-delay)
  ///
  /// The operator preserves order and relative timing. It delays a failure in the same way as a normal completion. Demand
  /// passes through unchanged. Cancellation disarms all scheduled actions and drops waiting values. The operator schedules one
  /// action for each date on which something arrives.
  ///
  /// - Parameters:
  ///   - interval: The length of the delay.
  ///   - tolerance: How late a delivery may be. The default is the scheduler's minimum tolerance.
  ///   - scheduler: The scheduler that delivers values and the completion.
  ///   - options: The options to use when scheduling deliveries.
  /// - Returns: A publisher that publishes the delayed values.
  /// - Complexity: Amortized O(1) for each value, plus the scheduler's own work.
  @inlinable
  public __consuming func delay<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.Delay<Self, S> {
    Publishers.Delay(
      upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance, scheduler: scheduler,
      options: options)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/delay(for:tolerance:scheduler:options:)`` returns.
  @frozen
  public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// The length of the delay.
    public let interval: Context.SchedulerTimeType.Stride

    /// How late a delivery may be.
    public let tolerance: Context.SchedulerTimeType.Stride

    /// The scheduler that delivers values.
    public let scheduler: Context

    /// The options to use when scheduling deliveries.
    public let options: Context.SchedulerOptions?

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - interval: The length of the delay.
    ///   - tolerance: How late a delivery may be.
    ///   - scheduler: The scheduler that delivers values.
    ///   - options: The options to use when scheduling deliveries.
    @inlinable
    public init(
      upstream: Upstream, interval: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride,
      scheduler: Context, options: Context.SchedulerOptions? = nil
    ) {
      self.upstream = upstream
      self.interval = interval
      self.tolerance = tolerance
      self.scheduler = scheduler
      self.options = options
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = OldEngine.delaying()
      let timing = Timing(scheduler, options, tolerance: tolerance)
      let outlet = engine.makeOutlet(for: subscriber, schedule: timing.makeScheduleInOrder())
      engine.attach(upstream, DelaySubscriber(engine, outlet, timing, interval))
    }
  }
}

@usableFromInline @frozen
struct DelaySubscriber<Input, Failure: Error, Context: Scheduler>: EngineChild {
  @usableFromInline let engine: OldEngine
  @usableFromInline let outlet: Outlet<Input, Failure>
  @usableFromInline let timing: Timing<Context>
  /// The scheduler of `timing`, stored here so that reading its time doesn't retain it.
  @usableFromInline let scheduler: Context
  @usableFromInline let interval: Context.SchedulerTimeType.Stride

  @inlinable
  init(
    _ engine: OldEngine, _ outlet: Outlet<Input, Failure>, _ timing: Timing<Context>,
    _ interval: Context.SchedulerTimeType.Stride
  ) {
    self.engine = engine
    self.outlet = outlet
    self.timing = timing
    scheduler = timing.scheduler
    self.interval = interval
  }

  @inlinable
  var machine: DelayMachine { unsafeDowncast(engine.machine, to: DelayMachine.self) }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    let date = scheduler.now.advanced(by: interval)
    var timerID: OldMachine.TimerID?
    let outcome = engine.storeDirect(.date) {
      outlet.queue.append(input)
      timerID = machine.note(isNewDate: timing.change(to: date), isCounted: true)
    }
    if let timerID {
      timing.armInOrder(engine, timerID, at: date)
    } else if case .refused = outcome {
      engine.receive(store: { outlet.queue.append(input) }) {
        machine.received(isNewDate: timing.change(to: date), &$0)
      }
    }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    let date = scheduler.now.advanced(by: interval)
    outlet.end(with: completion, through: engine) { machine.ended(isNewDate: timing.change(to: date), &$1) }
  }
}

extension OldEngine {
  @usableFromInline
  static func delaying() -> OldEngine { OldEngine(DelayMachine()) }
}

extension Publishers.Delay: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
