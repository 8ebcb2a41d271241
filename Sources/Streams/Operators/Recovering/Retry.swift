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
  /// - Precondition: `retries` is not negative.
  @inlinable
  public func retry(_ retries: Int) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries)
  }
}

extension Publishers {
  /// The publisher of ``Publisher/retry(_:)``.
  @frozen
  public struct Retry<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that may fail.
    public let upstream: Upstream

    /// How many further attempts are made; `nil` for any number.
    public let retries: Int?

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, retries: Int?) {
      if let retries { requireNotNegative(retries, in: "retry") }
      self.upstream = upstream
      self.retries = retries
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let upstream = upstream
      let engine = Engine.succession(followsFailure: true, successors: retries ?? .max)
      Following.begin(subscriber, engine) { following, slot in
        following.attach(upstream, to: slot) { following, completion in
          // Either is kept: a normal end takes the place of the failure of the attempt before, which dies outside the lock.
          var displaced = completion
          let store = { swap(&following.outlet.completion, &displaced) }
          switch completion {
          case .finished: following.end(slot, failed: false, store: store)
          case .failure: following.end(slot, failed: true, store: store)
          }
        }
      }
    }
  }
}

extension Publishers.Retry: Equatable where Upstream: Equatable {}
