extension Publisher {
  /// Passes on values for a while, and finishes then.
  ///
  ///     readings.prefix(duration: .seconds(10), scheduler: DispatchQueue.main)
  ///
  /// ![Marble diagram of prefix(duration:)](diagram-prefix-duration)
  ///
  /// Time begins with the subscription. Demand passes through, and values are delivered where upstream sends them; when
  /// time is up, upstream is cancelled, and the completion is delivered on the scheduler. Nothing is left on the
  /// scheduler once the stream has ended or was cancelled. On a scheduler that runs work at once, it finishes at once.
  @inlinable @_disfavoredOverload
  public __consuming func prefix<S: Scheduler>(
    duration: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.PrefixDuration<Self, S> {
    Publishers.PrefixDuration(
      upstream: self, duration: duration, tolerance: tolerance ?? scheduler.minimumTolerance, scheduler: scheduler,
      options: options)
  }
}

extension Publishers {
  /// The publisher of ``Publisher/prefix(duration:tolerance:scheduler:options:)``.
  @frozen
  public struct PrefixDuration<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are passed on.
    public let upstream: Upstream

    /// For how long.
    public let duration: Context.SchedulerTimeType.Stride

    /// How much later the end may come.
    public let tolerance: Context.SchedulerTimeType.Stride

    /// Whose time it is.
    public let scheduler: Context

    /// How the scheduler is to run the end.
    public let options: Context.SchedulerOptions?

    /// Creates the publisher.
    @inlinable
    public init(
      upstream: Upstream, duration: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride,
      scheduler: Context, options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.duration = duration
      self.tolerance = tolerance
      self.scheduler = scheduler
      self.options = options
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let end = Just(()).delay(for: duration, tolerance: tolerance, scheduler: scheduler, options: options)
      PrefixUntilOutput(upstream: upstream, other: end).receive(subscriber: subscriber)
    }
  }
}

extension Publishers.PrefixDuration: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
