extension Publisher {
  /// Attaches to this publisher again, after each failure, when another publisher that is made of the failures says so.
  ///
  /// ```swift
  /// load().retry(when: { failures in failures.flatMap { _ in taps.first() } })
  /// ```
  ///
  /// ![Marble diagram of retry(when:)](diagram-retry-when)
  ///
  /// The closure is called once for each subscriber, with a publisher of the failures, and returns the one that decides: for
  /// each failure one value is asked of it, and that makes the next attempt. When it finishes, the stream finishes in place
  /// of failing; while an attempt is going on, that waits for its failure, so that `failures.prefix(3)` allows three retries.
  /// When it fails, so does the stream, and the attempt that is going on is cancelled. When an attempt finishes, the
  /// stream finishes.
  ///
  /// Each attempt gets the demand that is still outstanding. Cancelling cancels both. Values are delivered where they come.
  /// Attempts that fail at once are made in a loop and do not grow the stack. A failure waits until the decider asks for it;
  /// there is never more than one. It keeps the publisher that it is applied to for as long as the stream lasts, as
  /// `retry(_:)` does.
  @inlinable @_disfavoredOverload
  public __consuming func retry<Decider: Publisher>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    when decider: @escaping (AnyPublisher<Failure, Never>) -> Decider
  ) -> Publishers.RetryWhen<Self, Decider> where Decider.Failure == Failure {
    Publishers.RetryWhen(upstream: self, decider: isolation.checking(decider, fileID, filePath, line, column))
  }

  /// Attaches to this publisher again, after each failure, when another publisher that is made of the failures says so; that
  /// one cannot fail.
  ///
  /// All else is as with the method for one that can.
  @inlinable @_disfavoredOverload
  public __consuming func retry<Decider: Publisher>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    when decider: @escaping (AnyPublisher<Failure, Never>) -> Decider
  ) -> Publishers.RetryWhen<Self, Publishers.SetFailureType<Decider, Failure>> where Decider.Failure == Never {
    let decider = isolation.checking(decider, fileID, filePath, line, column)
    let failureType = Failure.self
    return Publishers.RetryWhen(upstream: self, decider: { decider($0).setFailureType(to: failureType) })
  }
}

extension Publishers {
  /// The publisher of `retry(when:)`.
  @frozen
  public struct RetryWhen<Upstream: Publisher, Decider: Publisher>: Publisher
  where Decider.Failure == Upstream.Failure {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that may fail.
    public let upstream: Upstream

    /// Makes the publisher that decides out of the failures.
    public let decider: (AnyPublisher<Upstream.Failure, Never>) -> Decider

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, decider: @escaping (AnyPublisher<Upstream.Failure, Never>) -> Decider) {
      self.upstream = upstream
      self.decider = decider
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let upstream = upstream
      let failures = ReplaySubject<Upstream.Failure, Never>(bufferSize: 1)
      let engine = Engine.retrying()
      let following = Following(engine, engine.makeOutlet(for: subscriber)) { following, slot in
        following.attach(upstream, to: slot) { $0.endAttempt(slot, $1, failures) }
      }
      if engine.isOver { return }
      engine.attach(decider(failures.eraseToAnyPublisher()), DeciderChild(following))
      engine.attachSources { following.attachNext(following, $0) }
    }
  }
}

extension Following {
  /// Ends one attempt, after whose failure another may follow.
  @inlinable
  func endAttempt(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>,
    _ failures: ReplaySubject<Failure, Never>
  ) {
    switch completion {
    case .finished: engine.end(slot, failed: false)
    case .failure(let error):
      guard engine.isRunning(slot) else { return }
      // The decider has the failure before it is asked what is to be done about it.
      failures.send(error)
      engine.end(slot, failed: true)
    }
  }
}

/// The subscriber of the publisher that decides whether another attempt is made.
@usableFromInline @frozen
struct DeciderChild<Input, Output, Failure: Error>: Subscriber {
  @usableFromInline let following: Following<Output, Failure>

  @inlinable
  init(_ following: Following<Output, Failure>) { self.following = following }

  @inlinable
  var combineIdentifier: CombineIdentifier { following.engine.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { following.engine.connect(subscription, to: RetryingMachine.decider) }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    following.engine.receive(from: RetryingMachine.decider, store: {})
    following.engine.attachSources { following.attachNext(following, $0) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    following.outlet.end(RetryingMachine.decider, with: completion, through: following.engine)
  }
}

extension Engine {
  @usableFromInline
  static func retrying() -> Engine { Engine(RetryingMachine()) }

  /// Whether the source of the slot is attached, and has not ended.
  @usableFromInline
  func isRunning(_ slot: Int) -> Bool {
    withLock { _ in unsafeDowncast(machine, to: RetryingMachine.self).isRunning(slot) }
  }
}
