public import Streams

extension Publisher {
  /// Resubscribes to this publisher repeatedly, waiting for an interval each time it finishes.
  ///
  ///     status(of: job).poll(every: .seconds(2), scheduler: DispatchQueue.main)
  ///       .first { $0.isDone }
  ///
  /// ![The source publishes a and finishes; subscribed to again, it publishes a and finishes; subscribed to again, it publishes a and is cancelled; the result publishes a, a and a and finishes.](diagram-poll)
  ///
  /// The operator subscribes for the first time immediately. Attempts never overlap. A failure ends the stream. To continue
  /// after a failure, put `retry` or `catch` before this operator. Otherwise, the stream ends when it's cancelled, for example
  /// by `first(where:)` or `prefix(while:)`.
  ///
  /// The operator requests the remaining demand from each attempt. Values are delivered on upstream's thread, and nothing is
  /// buffered. Cancellation cancels the current attempt or removes the scheduled one.
  ///
  /// - Parameters:
  ///   - interval: The time between the end of an attempt and the next one. It must be longer than zero.
  ///   - scheduler: The scheduler that measures the interval and starts the next attempt.
  ///   - options: The options to pass to the scheduler.
  /// - Complexity: O(1) for each value, and one action on the scheduler for each attempt.
  @inlinable @_disfavoredOverload
  public __consuming func poll<S: Scheduler>(
    every interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> PollPublisher<Self, S> {
    PollPublisher(upstream: self, interval: interval, scheduler: scheduler, options: options)
  }
}

/// The publisher that ``Streams/Publisher/poll(every:scheduler:options:)`` returns.
@frozen
public struct PollPublisher<Upstream: Publisher, Context: Scheduler>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?

  @inlinable
  init(
    upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
    options: Context.SchedulerOptions? = nil
  ) {
    require(interval > .zero, or: "poll(every:scheduler:) requires an interval longer than zero, got \(interval).")
    self.upstream = upstream
    self.interval = interval
    self.scheduler = scheduler
    self.options = options
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let next = upstream.delay(subscription: interval, scheduler: scheduler, options: options)
    let engine = SuccessionEngine(
      SubscriberReceiver(subscriber), ElementLayout(Output.self), "poll(every:scheduler:)")
    let upstream = upstream
    engine.follow(left: .max) { engine, slot in
      engine.attach(upstream, to: slot) { engine, completion in
        guard case .finished = completion else { return engine.end(with: completion) }
        engine.attach(next, again: .max, afterFailure: false)
      }
    }
  }
}

extension PollPublisher: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
