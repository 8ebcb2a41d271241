public import Streams

extension Publisher {
  /// Delays the subscription to upstream by an interval.
  ///
  ///     updates.delay(subscription: .seconds(2), scheduler: DispatchQueue.main)
  ///
  /// ![The source, subscribed to at 300 ms, publishes a and b and finishes; the result publishes a and b and finishes.](diagram-delay-subscription)
  ///
  /// The operator doesn't delay upstream's values. Demand requested during the delay reaches upstream on subscription. If you
  /// cancel during the delay, the scheduled action is removed, and the operator never subscribes to upstream.
  ///
  /// - Parameters:
  ///   - interval: The time between the subscription to this operator and the subscription to upstream.
  ///   - tolerance: The time by which the subscription may be late.
  ///   - scheduler: The scheduler on which the operator subscribes to upstream.
  ///   - options: The options to pass to the scheduler.
  @inlinable @_disfavoredOverload
  public __consuming func delay<S: Scheduler>(
    subscription interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> DelaySubscriptionPublisher<Self, S> {
    DelaySubscriptionPublisher(
      upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance, scheduler: scheduler,
      options: options)
  }
}

/// The publisher that ``Streams/Publisher/delay(subscription:tolerance:scheduler:options:)`` returns.
@frozen
public struct DelaySubscriptionPublisher<Upstream: Publisher, Context: Scheduler>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  @usableFromInline let tolerance: Context.SchedulerTimeType.Stride
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?

  @inlinable
  init(
    upstream: Upstream, interval: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride,
    scheduler: Context, options: Context.SchedulerOptions?
  ) {
    self.upstream = upstream
    self.interval = interval
    self.tolerance = tolerance
    self.scheduler = scheduler
    self.options = options
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let pause = Empty<Output, Failure>()
      .delay(for: interval, tolerance: tolerance, scheduler: scheduler, options: options)
    Publishers.Concatenate(pause, upstream, as: OperatorName("delay(subscription:)")).receive(subscriber: subscriber)
  }
}

extension DelaySubscriptionPublisher: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
