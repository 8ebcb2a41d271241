extension Publisher {
  /// Publishes at most one value in each interval: the latest or the first to arrive.
  ///
  /// The first value is published immediately and begins an interval. At the end of the interval, the operator publishes the
  /// latest value that arrived in it, or, with `latest: false`, the first one. That value begins the next interval. If none
  /// arrived, the next value is published immediately.
  ///
  /// ![The source publishes a, b, c, d and e at 100, 200, 300, 800 and 900 ms and finishes at 1 s; the result publishes a, c, d and e at 100 ms, 400 ms, 800 ms and 1.1 s and finishes.](diagram-throttle-latest)
  ///
  /// ![The source publishes a, b, c, d and e at 100, 200, 300, 800 and 900 ms and finishes at 1 s; the result publishes a, b, d and e at 100 ms, 400 ms, 800 ms and 1.1 s and finishes.](diagram-throttle-first)
  ///
  /// The operator requests unlimited demand from upstream and delivers on the scheduler. A waiting value is delivered at the end
  /// of its interval even if upstream has completed in the meantime, and the completion follows it. If a value is due while
  /// there's no demand, it isn't delivered, and the next one replaces it. Cancellation disarms the timer.
  ///
  /// - Parameters:
  ///   - interval: The interval in which at most one value is delivered.
  ///   - scheduler: The scheduler that measures intervals and delivers values and the completion.
  ///   - latest: `true` to publish the latest value in an interval, `false` to publish the first.
  /// - Returns: A publisher that publishes at most one value in each interval.
  /// - Complexity: O(1) for each value.
  @inlinable
  public __consuming func throttle<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> Publishers.Throttle<Self, S> {
    Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/throttle(for:scheduler:latest:)`` returns.
  @frozen
  public struct Throttle<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// The interval in which at most one value is delivered.
    public let interval: Context.SchedulerTimeType.Stride

    /// The scheduler that delivers values.
    public let scheduler: Context

    /// Indicates whether to deliver the latest value in an interval instead of the first.
    public let latest: Bool

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - interval: The interval in which at most one value is delivered.
    ///   - scheduler: The scheduler that delivers values.
    ///   - latest: Indicates whether to deliver the latest value in an interval instead of the first.
    @inlinable
    public init(
      upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context, latest: Bool
    ) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.latest = latest
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = OldEngine.throttling(latest: latest)
      let throttling = Throttling(scheduler, interval)
      let outlet = engine.makeOutlet(for: subscriber, schedule: { throttling.schedule($0, $1) })
      engine.attach(upstream, ThrottleSubscriber(engine, outlet))
    }
  }
}

@usableFromInline @frozen
struct ThrottleSubscriber<Input, Failure: Error>: EngineChild {
  @usableFromInline let engine: OldEngine
  @usableFromInline let outlet: Outlet<Input, Failure>

  @inlinable
  init(_ engine: OldEngine, _ outlet: Outlet<Input, Failure>) {
    self.engine = engine
    self.outlet = outlet
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    outlet.replace(with: input, through: engine)
    return .none
  }
}

/// Arms the timer for the end of the interval that began when it last fired.
@usableFromInline @_fixed_layout
final class Throttling<Context: Scheduler> {
  @usableFromInline let timing: Timing<Context>
  @usableFromInline let interval: Context.SchedulerTimeType.Stride

  @inlinable
  init(_ scheduler: Context, _ interval: Context.SchedulerTimeType.Stride) {
    timing = Timing(scheduler, nil)
    self.interval = interval
  }

  @inlinable
  func schedule(_ engine: OldEngine, _ request: OldEngine.ScheduleRequest) {
    guard case .timer(let timerID) = request else { return timing.drain(engine) }
    let now = timing.scheduler.now
    // If the clock was set back, values don't wait until it reaches the old time again.
    let date = engine.guarded { timing.date }.map { max(now, min(now, $0).advanced(by: interval)) } ?? now
    timing.arm(engine, timerID, at: date) { [timing] in
      let now = timing.scheduler.now
      engine.guarded { timing.date = now }
      engine.fired(timerID)
    }
  }
}

extension OldEngine {
  @usableFromInline
  static func throttling(latest: Bool) -> OldEngine { OldEngine(ThrottleMachine(latest: latest)) }
}

extension Publishers.Throttle: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}
