extension Publisher {
  /// Publishes the latest value after a period in which no other value arrives.
  ///
  ///     queries.debounce(for: .milliseconds(200), scheduler: DispatchQueue.main)
  ///
  /// ![The source publishes a, b, c and d at 100, 200, 700 and 800 ms and finishes at 900 ms; the result publishes b at 400 ms and finishes at 900 ms.](diagram-debounce)
  ///
  /// The operator requests unlimited demand from upstream. If a value is due while there's no demand, it isn't delivered, and the
  /// next one replaces it. When upstream completes, the waiting value is dropped. Values and the completion are delivered on the
  /// scheduler. No matter how many values arrive, at most one action is armed at any time. Cancellation disarms it.
  ///
  /// - Parameters:
  ///   - dueTime: The period in which no other value may arrive.
  ///   - scheduler: The scheduler that measures the period and delivers values and the completion.
  ///   - options: The options to use when scheduling deliveries.
  /// - Returns: A publisher that publishes the values that aren't followed by another one within the period.
  /// - Complexity: O(1) for each value.
  @inlinable
  public __consuming func debounce<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.Debounce<Self, S> {
    Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/debounce(for:scheduler:options:)`` returns.
  @frozen
  public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// The period in which no other value may arrive.
    public let dueTime: Context.SchedulerTimeType.Stride

    /// The scheduler that delivers values.
    public let scheduler: Context

    /// The options to use when scheduling deliveries.
    public let options: Context.SchedulerOptions?

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - dueTime: The period in which no other value may arrive.
    ///   - scheduler: The scheduler that delivers values.
    ///   - options: The options to use when scheduling deliveries.
    @inlinable
    public init(
      upstream: Upstream, dueTime: Context.SchedulerTimeType.Stride, scheduler: Context,
      options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.dueTime = dueTime
      self.scheduler = scheduler
      self.options = options
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = Engine.debouncing()
      let deadline = Deadline(scheduler, options, dueTime)
      let outlet = engine.makeOutlet(for: subscriber, schedule: deadline.makeSchedule())
      engine.attach(upstream, DebounceSubscriber(engine, outlet, deadline.timing, dueTime))
    }
  }
}

@usableFromInline @frozen
struct DebounceSubscriber<Input, Failure: Error, Context: Scheduler>: EngineChild {
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<Input, Failure>
  @usableFromInline let timing: Timing<Context>
  /// The scheduler of `timing`, stored here so that reading its time doesn't retain it.
  @usableFromInline let scheduler: Context
  @usableFromInline let dueTime: Context.SchedulerTimeType.Stride

  @inlinable
  init(
    _ engine: Engine, _ outlet: Outlet<Input, Failure>, _ timing: Timing<Context>,
    _ dueTime: Context.SchedulerTimeType.Stride
  ) {
    self.engine = engine
    self.outlet = outlet
    self.timing = timing
    scheduler = timing.scheduler
    self.dueTime = dueTime
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    let date = scheduler.now.advanced(by: dueTime)
    outlet.replace(with: input, through: engine, note: { timing.date = date })
    return .none
  }
}

extension Engine {
  @usableFromInline
  static func debouncing() -> Engine { Engine(DebounceMachine()) }
}

extension Publishers.Debounce: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
