public import Streams

// Each operator with an interval also takes it as a `Duration`, whatever the scheduler's own type is. These overloads convert
// their argument and don't differ otherwise. The documentation leaves them out, because links to the operators would be
// ambiguous.
//
// `.seconds(0.5)` must remain the scheduler's stride. For Combine's operators, disfavoring these overloads is enough. The other
// operators are disfavored themselves, so their overloads here have an additional variadic parameter that nothing can be passed
// to: the compiler prefers the function with fewer parameters.

extension SchedulerTimeIntervalConvertible {
  /// Creates an interval from a duration, rounded toward zero to whole nanoseconds.
  ///
  ///     let patience: Duration = .seconds(5)
  ///     values.collect(.byTime(DispatchQueue.main, .duration(patience)))
  ///
  /// Operators that take an interval also accept a `Duration` directly.
  ///
  /// - Parameter duration: The duration. If it's longer than the scheduler can represent, it becomes the longest possible
  ///   interval.
  @inlinable @_disfavoredOverload
  public static func duration(_ duration: Duration) -> Self { .nanoseconds(duration.clampedNanoseconds) }
}

extension Publisher {
  /// Publishes the latest value after a duration in which no other value arrives.
  ///
  /// It's like ``/Streams/Publisher/debounce(for:scheduler:options:)``, but takes a `Duration`.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload
  public __consuming func debounce<S: Scheduler>(
    for dueTime: Duration, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.Debounce<Self, S> {
    debounce(for: .duration(dueTime), scheduler: scheduler, options: options)
  }

  /// Publishes at most one value in each interval, whose length is a duration.
  ///
  /// It's like ``/Streams/Publisher/throttle(for:scheduler:latest:)``, but takes a `Duration`.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload
  public __consuming func throttle<S: Scheduler>(
    for interval: Duration, scheduler: S, latest: Bool
  ) -> Publishers.Throttle<Self, S> {
    throttle(for: .duration(interval), scheduler: scheduler, latest: latest)
  }

  /// Publishes each value and the completion after a duration.
  ///
  /// It's like ``/Streams/Publisher/delay(for:tolerance:scheduler:options:)``, but takes a `Duration`.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload
  public __consuming func delay<S: Scheduler>(
    for interval: Duration, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.Delay<Self, S> {
    delay(for: .duration(interval), tolerance: tolerance, scheduler: scheduler, options: options)
  }

  /// Ends the stream if no value arrives for a duration.
  ///
  /// It's like ``/Streams/Publisher/timeout(_:scheduler:options:customError:)``, but takes a `Duration`.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload
  public __consuming func timeout<S: Scheduler>(
    _ interval: Duration, scheduler: S, options: S.SchedulerOptions? = nil,
    customError: (() -> Failure)? = nil
  ) -> Publishers.Timeout<Self, S> {
    timeout(.duration(interval), scheduler: scheduler, options: options, customError: customError)
  }

  /// Publishes at most a given number of values in each interval, whose length is a duration.
  ///
  /// It's like ``rateLimit(_:per:scheduler:options:queueSize:whenFull:)``, but takes a `Duration`.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload
  public __consuming func rateLimit<S: Scheduler>(
    _ count: Int, per interval: Duration, scheduler: S, options: S.SchedulerOptions? = nil,
    queueSize: Int, whenFull: OverflowStrategy<Failure>, _ nothing: Never...
  ) -> RateLimitPublisher<Self, S> {
    rateLimit(
      count, per: .duration(interval), scheduler: scheduler, options: options, queueSize: queueSize, whenFull: whenFull)
  }

  /// Subscribes to upstream after a duration.
  ///
  /// It's like ``delay(subscription:tolerance:scheduler:options:)``, but takes a `Duration`.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload
  public __consuming func delay<S: Scheduler>(
    subscription interval: Duration, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
    options: S.SchedulerOptions? = nil, _ nothing: Never...
  ) -> DelaySubscriptionPublisher<Self, S> {
    delay(subscription: .duration(interval), tolerance: tolerance, scheduler: scheduler, options: options)
  }

  /// Publishes values for a duration, then finishes.
  ///
  /// It's like ``prefix(duration:tolerance:scheduler:options:)``, but takes a `Duration`.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload
  public __consuming func prefix<S: Scheduler>(
    duration: Duration, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
    options: S.SchedulerOptions? = nil, _ nothing: Never...
  ) -> PrefixDurationPublisher<Self, S> {
    prefix(duration: .duration(duration), tolerance: tolerance, scheduler: scheduler, options: options)
  }

  /// Resubscribes to this publisher repeatedly, waiting for a duration each time it finishes.
  ///
  /// It's like ``poll(every:scheduler:options:)``, but takes a `Duration`.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload
  public __consuming func poll<S: Scheduler>(
    every interval: Duration, scheduler: S, options: S.SchedulerOptions? = nil, _ nothing: Never...
  ) -> PollPublisher<Self, S> {
    poll(every: .duration(interval), scheduler: scheduler, options: options)
  }

  /// Stops the stream when another publisher sends its first value, and drops values that don't arrive within a duration.
  ///
  /// It's like ``drain(when:within:scheduler:options:through:lost:)``, but takes a `Duration`.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public __consuming func drain<Stop: Publisher, Last: Publisher, S: Scheduler>(
    when stop: Stop, within interval: Duration, scheduler: S, options: S.SchedulerOptions? = nil,
    through operators: @escaping (AnyPublisher<Output, Failure>) -> Last, lost: @escaping (Int) -> Void,
    _ nothing: Never...
  ) -> DrainPublisher<Self, Stop, Last, S> {
    drain(
      when: stop, within: .duration(interval), scheduler: scheduler, options: options, through: operators, lost: lost)
  }
}
