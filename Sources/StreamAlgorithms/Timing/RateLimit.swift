public import Streams

extension Publisher {
  /// Limits the number of values delivered in any interval, and queues excess values.
  ///
  ///     requests.rateLimit(10, per: .seconds(1), scheduler: queue, queueSize: 1000, whenFull: .dropNewest)
  ///
  /// ![The source publishes a, b, c, d and e at 100, 200, 300, 400 and 900 ms and finishes at 1.1 s; the result publishes a, b, c, d and e at 100, 200, 500, 600 and 900 ms and finishes at 1.1 s.](diagram-rateLimit)
  ///
  /// The interval slides: at least one interval passes between the delivery of a value and the delivery of the value
  /// `count` places after it. So after a pause, `count` values may be delivered at the same time.
  ///
  /// The operator requests unlimited demand from upstream, or, with `.wait`, as many values as there's room for. At most
  /// `queueSize` values are waiting for their turn or for downstream demand. A value whose turn has come is no longer in the
  /// queue, even if the scheduler has yet to deliver it, and no later value displaces it. With a `queueSize` of 0, a value
  /// whose turn hasn't come is dropped or ends the stream.
  ///
  /// A completion or failure waits until the queue is empty. Values and the completion are delivered on the scheduler,
  /// in order. At most one timer is pending, and cancellation removes it. On a scheduler that runs work immediately,
  /// time doesn't pass, so values aren't held back.
  ///
  /// - Parameters:
  ///   - count: The maximum number of values in an interval.
  ///   - interval: The length of the interval.
  ///   - scheduler: The scheduler that measures the interval and delivers values and the completion.
  ///   - options: The options to pass to the scheduler.
  ///   - queueSize: The maximum number of waiting values.
  ///   - whenFull: The strategy for handling a value that doesn't fit.
  /// - Precondition: `count` and `interval` are positive, and `queueSize` isn't negative.
  /// - Complexity: Amortized O(1) for each value, or O(`count`) if the value displaces another while the scheduler has yet to
  ///   deliver values whose turn has come. The operator stores the dates of the last `count` deliveries.
  @inlinable @_disfavoredOverload
  public __consuming func rateLimit<S: Scheduler>(
    _ count: Int, per interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
    queueSize: Int, whenFull: OverflowStrategy<Failure>
  ) -> RateLimitPublisher<Self, S> {
    RateLimitPublisher(
      upstream: self, count: count, interval: interval, scheduler: scheduler, options: options, queueSize: queueSize,
      whenFull: whenFull)
  }
}

/// The publisher that `rateLimit(_:per:scheduler:options:queueSize:whenFull:)` returns.
@frozen
public struct RateLimitPublisher<Upstream: Publisher, Context: Scheduler>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let count: Int
  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?
  @usableFromInline let queueSize: Int
  @usableFromInline let whenFull: OverflowStrategy<Upstream.Failure>

  @inlinable
  init(
    upstream: Upstream, count: Int, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
    options: Context.SchedulerOptions?, queueSize: Int, whenFull: OverflowStrategy<Upstream.Failure>
  ) {
    require(count > 0, or: "rateLimit(_:per:) requires a count of at least 1, got \(count).")
    require(
      interval > .seconds(0), or: "rateLimit(_:per:) requires an interval longer than zero, got \(interval).")
    requireNotNegative(queueSize, in: "rateLimit(queueSize:)", "a size")
    whenFull.requireRoom(queueSize, in: "rateLimit(queueSize:)")
    self.upstream = upstream
    self.count = count
    self.interval = interval
    self.scheduler = scheduler
    self.options = options
    self.queueSize = queueSize
    self.whenFull = whenFull
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let name = "rateLimit(_:per:scheduler:queueSize:whenFull: .wait)"
    RateLimitEngine(
      SubscriberReceiver(subscriber), ElementLayout(Output.self), SchedulerClock(scheduler, options, interval),
      Bound(queueSize, whenFull, in: name), count
    ).attach(upstream)
  }
}
