extension Publisher where Output: Publisher, Output.Failure == Failure {
  /// Passes on what the newest of the publishers sends that this one sends.
  ///
  ///     queries.map { search($0) }.switchToLatest()
  ///
  /// ![Marble diagram of switchToLatest](diagram-switchToLatest)
  ///
  /// When a new one comes, the one before is cancelled first. Each gets the demand that is still outstanding. It finishes
  /// when upstream and the last one have, and fails as soon as one does; the other is cancelled then.
  @inlinable
  public __consuming func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Failure == Never {
  /// Passes on what the newest of the publishers sends that this one sends; they may fail.
  @inlinable
  public __consuming func switchToLatest()
    -> Publishers.SwitchToLatest<Output, Publishers.SetFailureType<Self, Output.Failure>>
  {
    setFailureType(to: Output.Failure.self).switchToLatest()
  }
}

extension Publisher where Output: Publisher, Failure == Never, Output.Failure == Never {
  /// Passes on what the newest of the publishers sends that this one sends.
  @inlinable
  public __consuming func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
  /// Passes on what the newest of the publishers sends that this one sends; they cannot fail.
  @inlinable
  public __consuming func switchToLatest()
    -> Publishers.SwitchToLatest<
      Publishers.SetFailureType<Output, Failure>, Publishers.Map<Self, Publishers.SetFailureType<Output, Failure>>
    >
  {
    let failureType = Failure.self
    return map { $0.setFailureType(to: failureType) }.switchToLatest()
  }
}

extension Publishers {
  /// The publisher of `switchToLatest()`.
  @frozen
  public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
  where P == Upstream.Output, P.Failure == Upstream.Failure {
    /// The type of value this publisher publishes.
    public typealias Output = P.Output

    /// The type of error this publisher may fail with.
    public typealias Failure = P.Failure

    /// The publisher that sends publishers.
    public let upstream: Upstream

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = Engine.switching()
      let outlet = engine.makeOutlet(for: subscriber)
      if !engine.isOver { engine.attach(upstream, SwitchSubscriber<P>(engine, outlet)) }
    }
  }
}

/// The subscriber of the outer publisher, whose values are or become publishers.
@usableFromInline @frozen
struct SwitchSubscriber<Inner: Publisher>: Subscriber {
  @usableFromInline typealias Failure = Inner.Failure
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<Inner.Output, Inner.Failure>

  @inlinable
  init(_ engine: Engine, _ outlet: Outlet<Inner.Output, Inner.Failure>) {
    self.engine = engine
    self.outlet = outlet
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { engine.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { engine.connect(subscription, to: SwitchMachine.outer) }

  @inlinable
  func receive(_ input: Inner) -> Subscribers.Demand {
    // Opening a slot cancels the inner source before, which is done when this returns.
    guard let slot = engine.open() else { return .none }
    engine.attachNew(input, Child(engine, outlet, slot: slot))
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    outlet.end(SwitchMachine.outer, with: completion, through: engine)
  }
}

extension Engine {
  @usableFromInline
  static func switching() -> Engine { Engine(SwitchMachine()) }
}

extension Publishers.SwitchToLatest: Sendable where Upstream: Sendable {}
