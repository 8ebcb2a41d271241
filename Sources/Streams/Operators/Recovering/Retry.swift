extension Publisher {
  /// Attaches to this publisher again when it fails, up to so many times.
  ///
  ///     load().retry(3)
  ///
  /// ![Marble diagram of retry, whose second attempt finishes](diagram-retry)
  ///
  /// ![Marble diagram of retry, whose last attempt fails](diagram-retry-exhausted)
  ///
  /// Each attempt gets the demand that is still outstanding. The failure of the last one ends the stream. Attempts that
  /// fail at once are made in a loop and do not grow the stack.
  ///
  /// This operator keeps the publisher that it is applied to for as long as the stream lasts, because it attaches to it
  /// again. No other operator does: a publisher that is an object and keeps the cancellable of a stream of its own is
  /// let go of in spite of that, but not with `retry` in between.
  ///
  /// - Precondition: `retries` is not negative.
  @inlinable
  public __consuming func retry(_ retries: Int) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries)
  }
}

extension Publishers {
  /// The publisher of ``Publisher/retry(_:)``.
  @frozen
  public struct Retry<Upstream: Publisher>: Publisher {
    /// The type of value this publisher publishes.
    public typealias Output = Upstream.Output

    /// The type of error this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// How many further attempts are made; `nil` for any number.
    public let retries: Int?

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, retries: Int?) {
      if let retries { requireNotNegative(retries, in: "retry") }
      self.upstream = upstream
      self.retries = retries
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let upstream = upstream
      let engine = Engine.succession(followsFailure: true, successors: retries ?? .max)
      Following.begin(subscriber, engine, with: upstream, { $0.endAttempt(0, $1) }) { following, slot in
        following.attach(upstream, to: slot) { $0.endAttempt(slot, $1) }
      }
    }
  }
}

extension Publishers.Retry: Equatable where Upstream: Equatable {}

extension Following {
  /// Ends one attempt, after whose failure another may follow.
  @inlinable
  func endAttempt(_ slot: Int, _ completion: Subscribers.Completion<Failure>) {
    // Either is kept: a normal end takes the place of the failure of the attempt before, which dies outside the lock.
    var displaced = completion
    let store = { swap(&self.outlet.completion, &displaced) }
    switch completion {
    case .finished: end(slot, failed: false, store: store)
    case .failure: end(slot, failed: true, store: store)
    }
  }
}

extension Publishers.Retry: Sendable where Upstream: Sendable {}
