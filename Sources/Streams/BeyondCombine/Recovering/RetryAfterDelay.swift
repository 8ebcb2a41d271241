extension Publisher {
  /// Attaches to this publisher again when it fails, as often and after such delays as a policy says.
  ///
  /// ```swift
  /// let backoff = RetryPolicy.exponentialBackoff(first: .seconds(1), longest: .seconds(60), maxRetries: 5)
  /// load().retry(backoff, scheduler: DispatchQueue.main, where: \.isTemporary)
  /// ```
  ///
  /// ![Marble diagram of retry with delays](diagram-retry-policy)
  ///
  /// A failure that the predicate does not accept, and one after which no retry is left, ends the stream. A delay of zero
  /// attaches at once, in a loop that does not grow the stack; any other is waited for on the scheduler, which then does
  /// the attaching.
  ///
  /// Each attempt gets the demand that is still outstanding. Cancelling while a retry waits disarms it: nothing is left at the
  /// scheduler. Values are delivered where they come. It keeps the publisher that it is applied to for as long as the
  /// stream lasts, as `retry(_:)` does, and nothing else.
  ///
  /// Without a predicate, every failure may be retried. The generator makes the jitter; each subscription has a copy, so one
  /// that is seeded makes the same delays for each.
  @inlinable @_disfavoredOverload
  public __consuming func retry<S: Scheduler, Generator: RandomNumberGenerator>(
    _ policy: RetryPolicy, scheduler: S, options: S.SchedulerOptions? = nil,
    generator: Generator = SystemRandomNumberGenerator(),
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    where isRetryable: ((Failure) -> Bool)? = nil
  ) -> Publishers.RetryAfterDelay<Self, S, Generator> {
    Publishers.RetryAfterDelay(
      upstream: self, policy: policy, scheduler: scheduler, options: options, generator: generator,
      isRetryable: isolation.checking(isRetryable, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of `retry(_:scheduler:options:generator:where:)`.
  public struct RetryAfterDelay<Upstream: Publisher, Context: Scheduler, Generator: RandomNumberGenerator>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that may fail.
    public let upstream: Upstream

    /// How many retries are made, and after which delays.
    public let policy: RetryPolicy

    /// Where delays are waited for.
    public let scheduler: Context

    /// How the scheduler is to wait.
    public let options: Context.SchedulerOptions?

    /// Makes the jitter.
    public let generator: Generator

    /// Says whether a failure may be retried.
    public let isRetryable: ((Upstream.Failure) -> Bool)?

    /// Creates the publisher.
    public init(
      upstream: Upstream, policy: RetryPolicy, scheduler: Context, options: Context.SchedulerOptions? = nil,
      generator: Generator, isRetryable: ((Upstream.Failure) -> Bool)? = nil
    ) {
      self.upstream = upstream
      self.policy = policy
      self.scheduler = scheduler
      self.options = options
      self.generator = generator
      self.isRetryable = isRetryable
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let attempts = RetryAttempts(self)
      let first = Map(upstream: upstream, transform: { attempts.note($0) })
      let engine = Engine.succession(followsFailure: true, successors: .max)
      Following.begin(subscriber, engine, with: first, { $0.endAttempt(0, $1, attempts) }) { following, slot in
        if let pause = attempts.takePause() {
          following.attach(pause, to: slot) { following, _ in following.end(slot, failed: true, store: {}) }
        } else {
          let next = Map(upstream: attempts.publisher.upstream, transform: { attempts.note($0) })
          following.attach(next, to: slot) { $0.endAttempt(slot, $1, attempts) }
        }
      }
    }
  }
}

/// How far the attempts have come. It belongs to the value path, and to whoever attaches the next source, which is never done
/// at the same time: one follows from the other.
@usableFromInline @_fixed_layout
final class RetryAttempts<Upstream: Publisher, Context: Scheduler, Generator: RandomNumberGenerator> {
  @usableFromInline typealias Pause = Publishers.Delay<Fail<Upstream.Output, Upstream.Failure>, Context>
  @usableFromInline let publisher: Publishers.RetryAfterDelay<Upstream, Context, Generator>
  // Exclusive: belong to whoever has ended one source, until the next is attached; no closure runs while one is accessed.
  @exclusivity(unchecked) private var generator: Generator
  /// How many retries have been made.
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var pause: Pause?
  /// Whether the attempt has sent a value.
  @usableFromInline @exclusivity(unchecked) var hasValue = false

  @usableFromInline
  init(_ publisher: Publishers.RetryAfterDelay<Upstream, Context, Generator>) {
    self.publisher = publisher
    generator = publisher.generator
  }

  /// Notes that there is a value, and returns it.
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
    // A copy, because the generator may be anybody's.
    var generator = generator
    let delay = policy.delay(beforeRetry: count, using: &generator)
    self.generator = generator
    if delay > .zero {
      // Its failure is not sent on: like every other, it is followed by an attempt.
      pause = Fail(error: error).delay(for: delay.stride(), scheduler: publisher.scheduler, options: publisher.options)
    }
    return true
  }

  /// Takes out the pause that is to come next, if there is one.
  @usableFromInline
  func takePause() -> Pause? {
    var taken: Pause?
    swap(&taken, &pause)
    return taken
  }
}

extension Following {
  /// Ends one attempt, after whose failure another may follow.
  @inlinable
  func endAttempt<Upstream: Publisher, Context: Scheduler, Generator: RandomNumberGenerator>(
    _ slot: Int, _ completion: Subscribers.Completion<Upstream.Failure>,
    _ attempts: RetryAttempts<Upstream, Context, Generator>
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

extension Engine {
  private var succession: SuccessionMachine { unsafeDowncast(machine, to: SuccessionMachine.self) }

  /// Whether the source of the slot is the one that is attached.
  @usableFromInline
  func isCurrent(_ slot: Int) -> Bool { withLock { _ in succession.isCurrent(slot) } }

  /// Lets no further source follow.
  @usableFromInline
  func endSuccession() { withLock { _ in succession.successors = 0 } }
}
