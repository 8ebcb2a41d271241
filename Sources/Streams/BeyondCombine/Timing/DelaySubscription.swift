extension Publisher {
  /// Subscribes to upstream some time after it was subscribed to itself.
  ///
  ///     updates.delay(subscription: .seconds(2), scheduler: DispatchQueue.main)
  ///
  /// ![Marble diagram of delay(subscription:)](diagram-delay-subscription)
  ///
  /// Upstream is subscribed to on the scheduler; its values are not delayed. What is asked for before is asked of
  /// upstream then. Cancelling before takes the work off the scheduler, and nothing is ever subscribed to.
  @inlinable @_disfavoredOverload
  public __consuming func delay<S: Scheduler>(
    subscription interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.DelaySubscription<Self, S> {
    Publishers.DelaySubscription(
      upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance, scheduler: scheduler,
      options: options)
  }
}

extension Publishers {
  /// The publisher of ``Publisher/delay(subscription:tolerance:scheduler:options:)``.
  @frozen
  public struct DelaySubscription<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is subscribed to later.
    public let upstream: Upstream

    /// How much later.
    public let interval: Context.SchedulerTimeType.Stride

    /// How much later still it may be.
    public let tolerance: Context.SchedulerTimeType.Stride

    /// Where it is subscribed to.
    public let scheduler: Context

    /// How the scheduler is to run that.
    public let options: Context.SchedulerOptions?

    /// Creates the publisher.
    @inlinable
    public init(
      upstream: Upstream, interval: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride,
      scheduler: Context, options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.interval = interval
      self.tolerance = tolerance
      self.scheduler = scheduler
      self.options = options
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      Empty<Output, Failure>().delay(for: interval, tolerance: tolerance, scheduler: scheduler, options: options)
        .append(upstream).receive(subscriber: subscriber)
    }
  }
}

extension Publishers.DelaySubscription: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
