extension Publisher {
  /// Ends the stream if no value arrives within an interval.
  ///
  ///     load().timeout(.seconds(5), scheduler: DispatchQueue.main, customError: { LoadError.timedOut })
  ///
  /// ![The source publishes a and b at 100 and 300 ms and is cancelled at 600 ms; the result publishes a and b at 100 and 300 ms and finishes at 600 ms.](diagram-timeout)
  ///
  /// ![The source publishes a and b at 100 and 300 ms and is cancelled at 600 ms; the result publishes a and b at 100 and 300 ms and fails at 600 ms.](diagram-timeout-customError)
  ///
  /// The interval starts on subscription and restarts with each value. When it elapses, the operator cancels upstream. The stream
  /// then finishes or, with `customError`, fails. Values and the completion are delivered on the scheduler, in order, as with
  /// ``receive(on:options:)``. Demand passes through unchanged. Cancellation disarms the timer. On a scheduler that runs work
  /// immediately, the interval never elapses.
  ///
  /// - Parameters:
  ///   - interval: The maximum time to wait for the next value.
  ///   - scheduler: The scheduler that measures the interval and delivers values and the completion.
  ///   - options: The options to use when scheduling deliveries.
  ///   - customError: A closure that returns the error to fail with. Without it, the stream finishes.
  /// - Returns: A publisher that publishes the same values, delivered on the scheduler.
  /// - Complexity: Amortized O(1) for each value, plus the scheduler's own work.
  @inlinable
  public __consuming func timeout<S: Scheduler>(
    _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
    customError: (() -> Failure)? = nil
  ) -> Publishers.Timeout<Self, S> {
    Publishers.Timeout(
      upstream: self, interval: interval, scheduler: scheduler, options: options,
      customError: customError)
  }
}

extension Publishers {
  /// The publisher that `timeout(_:scheduler:options:customError:)` returns.
  @frozen
  public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// The maximum time to wait for the next value.
    public let interval: Context.SchedulerTimeType.Stride

    /// The scheduler that delivers values.
    public let scheduler: Context

    /// The options to use when scheduling deliveries.
    public let options: Context.SchedulerOptions?

    /// The closure that returns the error that the stream fails with. Without it, the stream finishes.
    public let customError: (() -> Upstream.Failure)?

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - interval: The maximum time to wait for the next value.
    ///   - scheduler: The scheduler that delivers values.
    ///   - options: The options to use when scheduling deliveries.
    ///   - customError: The closure that returns the error that the stream fails with. Without it, the stream finishes.
    @inlinable
    public init(
      upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
      options: Context.SchedulerOptions?, customError: (() -> Upstream.Failure)?
    ) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.options = options
      self.customError = customError
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = OldEngine.timingOut()
      let deadline = Deadline(scheduler, options, interval)
      let outlet = engine.makeOutlet(for: subscriber, schedule: { deadline.schedule($0, $1) })
      outlet.keep(customError, for: engine)
      engine.attach(upstream, TimeoutSubscriber(engine, outlet, deadline))
    }
  }
}

@usableFromInline @frozen
struct TimeoutSubscriber<Input, Failure: Error, Context: Scheduler>: EngineChild {
  @usableFromInline let engine: OldEngine
  @usableFromInline let outlet: Outlet<Input, Failure>
  @usableFromInline let deadline: Deadline<Context>

  @inlinable
  init(_ engine: OldEngine, _ outlet: Outlet<Input, Failure>, _ deadline: Deadline<Context>) {
    self.engine = engine
    self.outlet = outlet
    self.deadline = deadline
  }

  @inlinable
  func receive(subscription: any Subscription) {
    deadline.timing.start(engine, after: deadline.interval)
    engine.connect(subscription, to: 0)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    let date = deadline.next
    outlet.enqueue(
      input, through: engine, note: { deadline.move(to: date) }, drain: { deadline.timing.drain(engine) })
    return .none
  }
}

extension Deadline {
  @usableFromInline
  func schedule(_ engine: OldEngine, _ request: OldEngine.ScheduleRequest) {
    guard case .timer(let timerID) = request else { return timing.drain(engine) }
    engine.guarded { hasMoved = false }
    arm(engine, timerID) { self.fired(engine, timerID) }
  }

  private func fired(_ engine: OldEngine, _ timerID: OldMachine.TimerID) {
    let (thread, now) = (ThreadContext.identity, timing.scheduler.now)
    let isEarly: Bool? = engine.guarded {
      if timing.isArming(on: thread) { return nil }
      guard let date = timing.date else { return true }
      if hasMoved { return remainder(at: now) > .zero }
      // If a deadline is further away than an interval, the clock was set back and the time has passed.
      return now < date && now.distance(to: date) <= interval
    }
    guard let isEarly else { return }
    if isEarly { schedule(engine, .timer(timerID)) } else { engine.fired(timerID) }
  }
}

extension OldEngine {
  @usableFromInline
  static func timingOut() -> OldEngine { OldEngine(TimeoutMachine()) }
}
