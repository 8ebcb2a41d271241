public import Streams

extension Publisher {
  /// Resubscribes to this publisher when it fails, as often as a policy allows, after the delays that the policy specifies.
  ///
  /// ```swift
  /// let backoff = RetryPolicy.exponentialBackoff(first: .seconds(1), longest: .seconds(60), maxRetries: 5)
  /// load().retry(backoff, scheduler: DispatchQueue.main, where: \.isTemporary)
  /// ```
  ///
  /// ![The source publishes a and fails; subscribed to again at 700 ms, it publishes a and fails; the result publishes a and a and fails.](diagram-retry-policy)
  ///
  /// The stream fails when a failure doesn't satisfy the predicate or no retries are left. If the delay is zero, the next
  /// attempt starts immediately, in a loop that doesn't grow the stack.
  ///
  /// The operator requests the remaining demand from each attempt. If you cancel during a delay, the delayed action is removed
  /// from the scheduler. Values are delivered on upstream's thread, and nothing is buffered. The operator retains its upstream
  /// publisher for as long as the stream lasts.
  ///
  /// - Parameters:
  ///   - policy: The maximum number of retries and the delays before them.
  ///   - scheduler: The scheduler that measures the delays and starts the attempts.
  ///   - options: The options to pass to the scheduler.
  ///   - isRetryable: A predicate that returns `true` for a failure that may be retried, or `nil` to retry every
  ///     failure.
  ///   - random: A closure that returns a random number in a range, for a policy with jitter. The number is the fraction of the
  ///     delay to wait. The range is `0...1` for full jitter and `0.5...1` for equal jitter. In a test, pass your own closure,
  ///     such as `{ $0.upperBound }`. A number outside the range stops the program with a message.
  /// - Complexity: O(1) for each value, and O(log *n*) for the *n*th attempt.
  @inlinable @_disfavoredOverload
  public __consuming func retry<S: Scheduler>(
    _ policy: RetryPolicy, scheduler: S, options: S.SchedulerOptions? = nil,
    where isRetryable: ((Failure) -> Bool)? = nil,
    random: @escaping @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
  ) -> RetryAfterDelayPublisher<Self, S> {
    RetryAfterDelayPublisher(
      upstream: self, policy: policy, scheduler: scheduler, options: options, isRetryable: isRetryable,
      random: random)
  }
}

/// The publisher that `retry(_:scheduler:options:where:random:)` returns.
public struct RetryAfterDelayPublisher<Upstream: Publisher, Context: Scheduler>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let policy: RetryPolicy
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?
  @usableFromInline let random: @Sendable (ClosedRange<Double>) -> Double
  @usableFromInline let isRetryable: ((Upstream.Failure) -> Bool)?

  @usableFromInline
  init(
    upstream: Upstream, policy: RetryPolicy, scheduler: Context, options: Context.SchedulerOptions? = nil,
    isRetryable: ((Upstream.Failure) -> Bool)? = nil,
    random: @escaping @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
  ) {
    self.upstream = upstream
    self.policy = policy
    self.scheduler = scheduler
    self.options = options
    self.isRetryable = isRetryable
    self.random = random
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    SuccessionEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), "retry(_:scheduler:)").retry(
      self, after: 0)
  }
}

extension SuccessionEngine {
  /// Attaches an attempt after a number of consecutive retries.
  @inlinable
  func retry<Upstream: Publisher, Context: Scheduler>(
    _ publisher: RetryAfterDelayPublisher<Upstream, Context>, after retries: Int
  ) {
    follow(left: publisher.policy.maxRetries - retries) { engine, slot in
      engine.attach(publisher.upstream, to: slot) { engine, completion in
        guard case .failure(let error) = completion,
          let (number, delay) = publisher.retry(error, after: retries, hasValue: engine.newestHasSent)
        else { return engine.end(with: completion) }
        guard delay > .zero else { return engine.retry(publisher, after: number) }
        engine.follow(left: publisher.policy.maxRetries - number, isPause: true) { engine, slot in
          // This failure isn't passed downstream. It only ends the pause, and the next attempt follows.
          let pause = Fail<Upstream.Output, Upstream.Failure>(error: error)
            .delay(for: .duration(delay), scheduler: publisher.scheduler, options: publisher.options)
          engine.attach(pause, to: slot) { engine, _ in engine.retry(publisher, after: number) }
        }
      }
    }
  }
}

extension RetryAfterDelayPublisher {
  /// Returns the number of the retry that follows a failure, and the delay before it, or `nil` if no retry follows.
  @usableFromInline
  func retry(_ error: Failure, after retries: Int, hasValue: Bool) -> (number: Int, delay: Duration)? {
    let number = (policy.resetsAfterValue && hasValue ? 0 : retries) + 1
    guard number <= policy.maxRetries, isRetryable?(error) != false else { return nil }
    return (number, policy.delay(beforeRetry: number, in: "retry(_:scheduler:random:)", random: random))
  }
}
