public import Streams

extension Publisher {
  /// Combines each value from this publisher with the latest value from another publisher.
  ///
  ///     saveTaps.withLatest(from: $title)   // (tap, the title at that tap)
  ///
  /// ![numbers publishes 1, 2, 3 and 4 and finishes; letters publishes a and b and finishes; the result publishes 2a, 3a and 4b and finishes.](diagram-withLatest)
  ///
  /// The operator immediately subscribes to the other publisher, then to this one. It requests unlimited demand from the other
  /// and stores its latest value. Downstream demand goes to this publisher as soon as the other has sent a value. So if this
  /// publisher can wait for demand, as a sequence can, no values are lost. A subject drops the values that it sends before
  /// then. The stream finishes when this publisher finishes, or when the other finishes without a value. The stream fails as
  /// soon as either fails. In each case, the operator cancels the publisher that is still running.
  ///
  /// - Parameter other: The publisher whose latest value is combined with each value from this one.
  @inlinable @_disfavoredOverload
  public __consuming func withLatest<P: Publisher>(from other: P) -> WithLatestFromPublisher<Self, P>
  where P.Failure == Failure { WithLatestFromPublisher(upstream: self, other: other) }

  /// Combines each value with the latest value from another publisher, like ``withLatest(from:)-8101h``, where the other
  /// publisher can't fail.
  @inlinable @_disfavoredOverload
  public __consuming func withLatest<P: Publisher>(
    from other: P
  ) -> WithLatestFromPublisher<Self, Publishers.SetFailureType<P, Failure>> where P.Failure == Never {
    withLatest(from: other.setFailureType(to: Failure.self))
  }

  /// Combines each value with the latest value from another publisher, like ``withLatest(from:)-8101h``, where neither
  /// publisher can fail.
  @inlinable @_disfavoredOverload
  public __consuming func withLatest<P: Publisher>(from other: P) -> WithLatestFromPublisher<Self, P>
  where Failure == Never, P.Failure == Never { WithLatestFromPublisher(upstream: self, other: other) }

  /// Combines each value with the latest value from another publisher, using a closure, like
  /// ``withLatest(from:)-8101h``.
  @inlinable @_disfavoredOverload
  public __consuming func withLatest<P: Publisher, T>(
    from other: P, _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<WithLatestFromPublisher<Self, P>, T> where P.Failure == Failure {
    withLatest(from: other).map { transform($0.0, $0.1) }
  }

  /// Combines each value with the latest values from two other publishers into triples, like
  /// ``withLatest(from:)-8101h``.
  @inlinable @_disfavoredOverload
  public __consuming func withLatest<P: Publisher, Q: Publisher>(
    from publisher1: P, _ publisher2: Q
  )
    -> Publishers.Map<
      WithLatestFromPublisher<Self, Publishers.CombineLatest<P, Q>>, (Output, P.Output, Q.Output)
    > where P.Failure == Failure, Q.Failure == Failure
  {
    withLatest(from: publisher1.combineLatest(publisher2)).map { ($0.0, $0.1.0, $0.1.1) }
  }

  /// Combines each value with the latest values from three other publishers into quadruples, like
  /// ``withLatest(from:)-8101h``.
  @inlinable @_disfavoredOverload
  public __consuming func withLatest<P: Publisher, Q: Publisher, R: Publisher>(
    from publisher1: P, _ publisher2: Q, _ publisher3: R
  )
    -> Publishers.Map<
      WithLatestFromPublisher<Self, Publishers.CombineLatest3<P, Q, R>>,
      (Output, P.Output, Q.Output, R.Output)
    > where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure
  {
    withLatest(from: publisher1.combineLatest(publisher2, publisher3)).map { ($0.0, $0.1.0, $0.1.1, $0.1.2) }
  }
}

/// The publisher that `withLatest(from:)` returns.
@frozen
public struct WithLatestFromPublisher<Upstream: Publisher, Other: Publisher>: Publisher
where Other.Failure == Upstream.Failure {
  public typealias Output = (Upstream.Output, Other.Output)
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let other: Other

  @inlinable
  init(upstream: Upstream, other: Other) {
    self.upstream = upstream
    self.other = other
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    receive(subscriber: subscriber, as: "withLatest(from:)")
  }

  @inlinable @inline(__always)
  func receive<S: Subscriber>(subscriber: S, as name: String) where S.Input == Output, S.Failure == Failure {
    let engine = WithLatestEngine(
      SubscriberReceiver(subscriber), ElementLayout(Output.self), ElementLayout(Upstream.Output.self),
      newest: ElementLayout(Other.Output.self), name
    ) {
      ElementLayout.write(
        (
          ElementLayout.take(Upstream.Output.self, from: $0[0]),
          ElementLayout.read(Other.Output.self, from: $0[1])
        ), to: $1)
    }
    engine.attach(other, slot: 1)
    engine.attach(upstream)
  }
}

extension WithLatestFromPublisher: Equatable where Upstream: Equatable, Other: Equatable {}

extension WithLatestFromPublisher: Sendable where Upstream: Sendable, Other: Sendable {}
