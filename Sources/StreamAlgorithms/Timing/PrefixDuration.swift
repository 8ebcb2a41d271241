public import Streams

extension Publisher {
  /// Publishes values for a limited time, then finishes.
  ///
  ///     readings.prefix(duration: .seconds(10), scheduler: DispatchQueue.main)
  ///
  /// ![The source publishes a and b at 100 and 300 ms and is cancelled at 500 ms; the result publishes a and b at 100 and 300 ms and finishes at 500 ms.](diagram-prefix-duration)
  ///
  /// The time starts on subscription. Demand passes through unchanged, and values are delivered on upstream's thread. When the
  /// time is up, the operator cancels upstream and delivers the completion on the scheduler. If the stream ends or is cancelled
  /// earlier, the scheduled action is removed. On a scheduler that runs work immediately, the stream finishes immediately.
  ///
  /// - Parameters:
  ///   - duration: The time for which values are published.
  ///   - tolerance: The time by which the completion may be late.
  ///   - scheduler: The scheduler that measures the time and delivers the completion.
  ///   - options: The options to pass to the scheduler.
  @inlinable @_disfavoredOverload
  public __consuming func prefix<S: Scheduler>(
    duration: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> PrefixDurationPublisher<Self, S> {
    PrefixDurationPublisher(
      upstream: self, duration: duration, tolerance: tolerance ?? scheduler.minimumTolerance, scheduler: scheduler,
      options: options)
  }
}

/// The publisher that ``Streams/Publisher/prefix(duration:tolerance:scheduler:options:)`` returns.
@frozen
public struct PrefixDurationPublisher<Upstream: Publisher, Context: Scheduler>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let duration: Context.SchedulerTimeType.Stride
  @usableFromInline let tolerance: Context.SchedulerTimeType.Stride
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?

  @inlinable
  init(
    upstream: Upstream, duration: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride,
    scheduler: Context, options: Context.SchedulerOptions?
  ) {
    self.upstream = upstream
    self.duration = duration
    self.tolerance = tolerance
    self.scheduler = scheduler
    self.options = options
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let end = Just(()).delay(for: duration, tolerance: tolerance, scheduler: scheduler, options: options)
    Publishers.PrefixUntilOutput(upstream: upstream, other: end).receive(
      subscriber: subscriber, as: "prefix(duration:)")
  }
}

extension PrefixDurationPublisher: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
