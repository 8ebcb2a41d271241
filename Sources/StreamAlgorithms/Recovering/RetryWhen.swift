public import Streams

extension Publisher {
  /// Resubscribes to this publisher after a failure when a second publisher, derived from the failures, sends a value.
  ///
  /// ```swift
  /// load().retry(when: { failures in failures.flatMap { _ in taps.first() } })
  /// ```
  ///
  /// ![source publishes a and fails; subscribed to again at 500 ms, it publishes a and fails; trigger publishes x and x and finishes; the result publishes a and a and finishes.](diagram-retry-when)
  ///
  /// The closure runs once for each subscriber and returns the *decider*. For each failure, the operator requests one value
  /// from the decider, and that value starts the next attempt. If the decider finishes, the stream finishes instead of failing.
  /// A decider that finishes during an attempt has no effect until the attempt fails, so `failures.prefix(3)` allows three
  /// retries. If the decider fails, the current attempt is cancelled and the stream fails. When an attempt finishes, the stream
  /// finishes.
  ///
  /// The operator requests the remaining demand from each attempt. Cancellation cancels both the attempt and the decider.
  /// Values are delivered on upstream's thread. Attempts that fail immediately run in a loop and don't grow the stack. At most
  /// one failure is buffered until the decider requests it. The operator retains its upstream publisher for as long as the
  /// stream lasts.
  ///
  /// - Parameter decider: A closure that takes a publisher of the failures and returns the decider.
  /// - Complexity: O(1) for each value and each attempt.
  @inlinable @_disfavoredOverload
  public __consuming func retry<Decider: Publisher>(
    when decider: @escaping (AnyPublisher<Failure, Never>) -> Decider
  ) -> RetryWhenPublisher<Self, Decider> where Decider.Failure == Failure {
    RetryWhenPublisher(upstream: self, decider: decider)
  }

  /// Resubscribes to this publisher after each failure, like ``retry(when:)->RetryWhenPublisher<Self,Decider>``, with a decider that can't fail.
  @inlinable @_disfavoredOverload
  public __consuming func retry<Decider: Publisher>(
    when decider: @escaping (AnyPublisher<Failure, Never>) -> Decider
  ) -> RetryWhenPublisher<Self, Publishers.SetFailureType<Decider, Failure>> where Decider.Failure == Never {
    let failureType = Failure.self
    return RetryWhenPublisher(upstream: self, decider: { decider($0).setFailureType(to: failureType) })
  }

  /// Resubscribes to this publisher after each failure, like ``retry(when:)->RetryWhenPublisher<Self,Decider>``, with a decider that may fail with any
  /// error.
  ///
  /// If the decider's error is a `Failure`, the stream fails with it. Otherwise, the stream fails with this publisher's latest
  /// failure. If this publisher hasn't failed yet, the stream fails with its first failure.
  @inlinable @_disfavoredOverload
  public __consuming func retry<Decider: Publisher>(
    when decider: @escaping (AnyPublisher<Failure, Never>) -> Decider
  ) -> RetryWhenPublisher<Self, AnyPublisher<Decider.Output, Failure>> {
    RetryWhenPublisher(
      upstream: self,
      decider: { failures in
        let decisions = decider(failures).map { Result<Decider.Output, Failure>.success($0) }
        let ended = decisions.catch { error in
          let failure = (error as? Failure).map { Just($0).eraseToAnyPublisher() } ?? failures
          return failure.map { Result<Decider.Output, Failure>.failure($0) }
        }
        return ended.setFailureType(to: Failure.self).flatMap(maxPublishers: .max(1)) { $0.publisher }
          .eraseToAnyPublisher()
      })
  }
}

/// The publisher that `retry(when:)` returns.
@frozen
public struct RetryWhenPublisher<Upstream: Publisher, Decider: Publisher>: Publisher
where Decider.Failure == Upstream.Failure {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let decider: (AnyPublisher<Upstream.Failure, Never>) -> Decider

  @inlinable
  init(upstream: Upstream, decider: @escaping (AnyPublisher<Upstream.Failure, Never>) -> Decider) {
    self.upstream = upstream
    self.decider = decider
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let upstream = upstream
    let failures = OperatorSubject<Upstream.Failure, Never>(OperatorName("the failures"), bufferSize: 1)
    let engine = SuccessionEngine(
      SubscriberReceiver(subscriber), ElementLayout(Output.self), "retry(when:)", hasDecider: true)
    if engine.isOver { return }
    engine.attach(
      decider(failures.eraseToAnyPublisher()), DeciderInlet(engine) { $0.attempt(upstream, telling: failures) })
    engine.attempt(upstream, telling: failures)
  }
}

extension SuccessionEngine {
  /// Attaches an attempt. When it has failed, sends the failure to the decider and requests a decision.
  @inlinable
  func attempt<Source: Publisher>(_ source: Source, telling failures: OperatorSubject<Source.Failure, Never>) {
    follow { engine, slot in
      engine.attach(source, to: slot) { engine, completion in
        guard case .failure(let error) = completion else { return engine.end(with: completion) }
        // The decider must have received the failure before a decision on it is requested.
        failures.send(error)
        engine.ask()
      }
    }
  }
}

/// The subscriber to the decider, the publisher that starts further attempts.
@usableFromInline @frozen
struct DeciderInlet<Input, Failure: Error>: Subscriber, EngineSubscriber {
  @usableFromInline let succession: SuccessionEngine
  @usableFromInline let attempt: (SuccessionEngine) -> Void

  @inlinable
  init(_ engine: SuccessionEngine, _ attempt: @escaping (SuccessionEngine) -> Void) {
    succession = engine
    self.attempt = attempt
  }

  @inlinable var engine: Engine { succession }

  @inlinable var slot: Int { 0 }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if succession.takeQuestion() { attempt(succession) }
    return .none
  }
}
