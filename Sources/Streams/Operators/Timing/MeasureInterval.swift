extension Publisher {
  /// Publishes the time since the previous value or, for the first value, since the subscription.
  ///
  ///     taps.measureInterval(using: DispatchQueue.main).sink { print($0) }
  ///
  /// ![The source publishes a, b and c and finishes; the result publishes 200 ms, 400 ms and 600 ms and finishes.](diagram-measureInterval)
  ///
  /// Demand, completion and cancellation pass through unchanged. Nothing is scheduled.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler to measure time with.
  ///   - options: Ignored, because nothing is scheduled.
  @inlinable
  public __consuming func measureInterval<S: Scheduler>(
    using scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.MeasureInterval<Self, S> {
    Publishers.MeasureInterval(upstream: self, scheduler: scheduler)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/measureInterval(using:options:)`` returns.
  @frozen
  public struct MeasureInterval<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Context.SchedulerTimeType.Stride
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let scheduler: Context

    @inlinable
    public init(upstream: Upstream, scheduler: Context) {
      self.upstream = upstream
      self.scheduler = scheduler
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        StageSubscriber<_, Upstream.Failure, _>(MeasureStage<Upstream.Output, Context>(scheduler), subscriber))
    }
  }
}

@usableFromInline @frozen
struct MeasureStage<Input, Context: Scheduler>: Stage {
  @usableFromInline static var name: String { "measureInterval" }

  @usableFromInline let scheduler: Context
  @usableFromInline var last: Context.SchedulerTimeType

  @inlinable
  init(_ scheduler: Context) {
    self.scheduler = scheduler
    last = scheduler.now
  }

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Verdict<Context.SchedulerTimeType.Stride> {
    let now = scheduler.now
    defer { last = now }
    return .emit(last.distance(to: now))
  }
}

extension Publishers.MeasureInterval: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}
