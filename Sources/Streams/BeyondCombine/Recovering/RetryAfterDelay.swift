extension Publisher {
  /// Resubscribes to this publisher when it fails, as many times and after as long a delay as a policy allows.
  ///
  /// ```swift
  /// let backoff = RetryPolicy.exponentialBackoff(first: .seconds(1), longest: .seconds(60), maxRetries: 5)
  /// load().retry(backoff, scheduler: DispatchQueue.main, where: \.isTemporary)
  /// ```
  ///
  /// ![The source publishes a and fails; subscribed to again at 700 ms, it publishes a and fails; the result publishes a and a and fails.](diagram-retry-policy)
  ///
  /// The stream fails when a failure doesn't satisfy the predicate or when no retries are left. If the delay is zero, the next
  /// attempt starts immediately, in a loop that doesn't grow the stack. Otherwise, the scheduler starts the next attempt after
  /// the delay.
  ///
  /// The operator requests the remaining demand from each attempt. If you cancel during a delay, the delayed action is removed
  /// from the scheduler. Values are delivered on upstream's thread, and nothing is buffered. As with `retry(_:)`, the operator
  /// retains its upstream publisher for as long as the stream lasts.
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
  /// - Returns: A publisher that publishes the values from all attempts.
  /// - Complexity: O(1) for each value, and O(log *n*) for the *n*th attempt.
  @inlinable @_disfavoredOverload
  public __consuming func retry<S: Scheduler>(
    _ policy: RetryPolicy, scheduler: S, options: S.SchedulerOptions? = nil,
    where isRetryable: ((Failure) -> Bool)? = nil,
    random: @escaping @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
  ) -> ExtendedPublishers.RetryAfterDelay<Self, S> {
    ExtendedPublishers.RetryAfterDelay(
      upstream: self, policy: policy, scheduler: scheduler, options: options, isRetryable: isRetryable,
      random: random)
  }
}

extension ExtendedPublishers {
  /// The publisher that `retry(_:scheduler:options:where:random:)` returns.
  public struct RetryAfterDelay<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher to retry.
    public let upstream: Upstream

    /// The maximum number of retries and the delays before them.
    public let policy: RetryPolicy

    /// The scheduler that measures the delays and starts the attempts.
    public let scheduler: Context

    /// The options to pass to the scheduler.
    public let options: Context.SchedulerOptions?

    /// A closure that returns a random number in a range, for a policy with jitter.
    public let random: @Sendable (ClosedRange<Double>) -> Double

    /// A predicate that returns `true` for a failure that may be retried, or `nil` to retry every failure.
    public let isRetryable: ((Upstream.Failure) -> Bool)?

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher to retry.
    ///   - policy: The maximum number of retries and the delays before them.
    ///   - scheduler: The scheduler that measures the delays and starts the attempts.
    ///   - options: The options to pass to the scheduler.
    ///   - isRetryable: A predicate that returns `true` for a failure that may be retried, or `nil` to retry every failure.
    ///   - random: A closure that returns a random number in a range, for a policy with jitter.
    public init(
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
      let attempts = RetryAttempts(self)
      let first = Publishers.Map(upstream: upstream, transform: { attempts.note($0) })
      let engine = OldEngine.succession(followsFailure: true, successors: .max)
      Following.begin(subscriber, engine, with: first, { $0.endAttempt(0, $1, attempts) }) { following, slot in
        if let pause = attempts.takePause() {
          following.attach(pause, to: slot) { following, _ in following.end(slot, failed: true, store: {}) }
        } else {
          let next = Publishers.Map(upstream: attempts.publisher.upstream, transform: { attempts.note($0) })
          following.attach(next, to: slot) { $0.endAttempt(slot, $1, attempts) }
        }
      }
    }
  }
}

/// The state of the attempts. Both the value path and the thread that attaches the next source use it, but never at the same
/// time, because one follows from the other.
@usableFromInline @_fixed_layout
final class RetryAttempts<Upstream: Publisher, Context: Scheduler> {
  @usableFromInline typealias Pause = Publishers.Delay<Fail<Upstream.Output, Upstream.Failure>, Context>
  @usableFromInline let publisher: ExtendedPublishers.RetryAfterDelay<Upstream, Context>
  // Exclusive: belong to the thread that has ended one source, until the next is attached. No closure runs while one is
  // accessed.
  /// The number of retries made.
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var pause: Pause?
  /// Indicates that the current attempt has sent a value.
  @usableFromInline @exclusivity(unchecked) var hasValue = false

  @usableFromInline
  init(_ publisher: ExtendedPublishers.RetryAfterDelay<Upstream, Context>) {
    self.publisher = publisher
  }

  /// Records that the attempt has sent a value, and returns the value.
  @inlinable @inline(__always)
  func note(_ value: Upstream.Output) -> Upstream.Output {
    hasValue = true
    return value
  }

  /// Decides whether another attempt follows a failure, and after which pause.
  @usableFromInline
  func follows(_ error: Upstream.Failure) -> Bool {
    let policy = publisher.policy
    if policy.resetsAfterValue, hasValue { count = 0 }
    hasValue = false
    guard count < policy.maxRetries, publisher.isRetryable?(error) != false else { return false }
    count += 1
    let delay = policy.delay(beforeRetry: count, random: publisher.random)
    if delay > .zero {
      // Its failure isn't passed downstream. Like every other failure, it is followed by an attempt.
      pause = Fail(error: error)
        .delay(for: .duration(delay), scheduler: publisher.scheduler, options: publisher.options)
    }
    return true
  }

  /// Removes and returns the pause before the next attempt, if there is one.
  @usableFromInline
  func takePause() -> Pause? {
    var taken: Pause?
    swap(&taken, &pause)
    return taken
  }
}

extension Following {
  /// Ends an attempt whose failure another attempt may follow.
  @inlinable
  func endAttempt<Upstream: Publisher, Context: Scheduler>(
    _ slot: OldMachine.Slot, _ completion: Subscribers.Completion<Upstream.Failure>,
    _ attempts: RetryAttempts<Upstream, Context>
  ) where Upstream.Failure == Failure {
    switch completion {
    case .finished: end(slot, failed: false, store: {})
    case .failure(let error):
      guard engine.isCurrent(slot) else { return }
      if attempts.follows(error) { return end(slot, failed: true, store: {}) }
      engine.endSuccession()
      fail(slot, with: error)
    }
  }
}

extension OldEngine {
  private var succession: SuccessionMachine { unsafeDowncast(machine, to: SuccessionMachine.self) }

  /// Returns `true` if the source of the slot is the attached one.
  @usableFromInline
  func isCurrent(_ slot: OldMachine.Slot) -> Bool { withLock { _ in succession.isCurrent(slot) } }

  /// Prevents further sources from being attached.
  @usableFromInline
  func endSuccession() { withLock { _ in succession.successors = 0 } }
}
