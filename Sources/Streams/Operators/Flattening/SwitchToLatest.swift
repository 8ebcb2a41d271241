extension Publisher where Output: Publisher, Output.Failure == Failure {
  /// Publishes values from the most recent publisher that upstream has published.
  ///
  ///     queries.map { search($0) }.switchToLatest()
  ///
  /// ![queries publishes a and b and finishes; search(a) publishes a1 and is cancelled; search(b) publishes b1 and b2 and finishes; the result publishes a1, b1 and b2 and finishes.](diagram-switchToLatest)
  ///
  /// When a new publisher arrives, the operator cancels the previous one before it subscribes to the new one. It requests
  /// unlimited demand from this publisher and the remaining demand from each inner publisher. The stream finishes when upstream
  /// and the last inner publisher have finished. It fails as soon as one of them fails, which cancels the other. Cancellation
  /// cancels both.
  ///
  /// - Returns: A publisher that publishes the values from the most recent publisher.
  /// - Complexity: O(1) for each value.
  @inlinable
  public __consuming func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Failure == Never {
  /// Publishes the values from the most recent publisher, where this publisher can't fail and the inner publishers can.
  ///
  /// Handles demand, completion and cancellation like the overload for equal failure types.
  ///
  /// - Returns: A publisher that publishes the values from the most recent publisher.
  /// - Complexity: O(1) for each value.
  @inlinable
  public __consuming func switchToLatest()
    -> Publishers.SwitchToLatest<Output, Publishers.SetFailureType<Self, Output.Failure>>
  {
    setFailureType(to: Output.Failure.self).switchToLatest()
  }
}

extension Publisher where Output: Publisher, Failure == Never, Output.Failure == Never {
  /// Publishes the values from the most recent publisher, where neither this publisher nor the inner ones can fail.
  ///
  /// Handles demand, completion and cancellation like the overload for equal failure types.
  ///
  /// - Returns: A publisher that publishes the values from the most recent publisher.
  /// - Complexity: O(1) for each value.
  @inlinable
  public __consuming func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
  /// Publishes the values from the most recent publisher, where the inner publishers can't fail.
  ///
  /// Handles demand, completion and cancellation like the overload for equal failure types.
  ///
  /// - Returns: A publisher that publishes the values from the most recent publisher.
  /// - Complexity: O(1) for each value.
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
  /// The publisher that `switchToLatest()` returns.
  @frozen
  public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
  where P == Upstream.Output, P.Failure == Upstream.Failure {
    public typealias Output = P.Output
    public typealias Failure = P.Failure

    /// The upstream publisher, which publishes publishers.
    public let upstream: Upstream

    /// Creates the publisher.
    ///
    /// - Parameter upstream: The upstream publisher, which publishes publishers.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = OldEngine.switching()
      let outlet = engine.makeOutlet(for: subscriber)
      engine.attach(upstream, SwitchSubscriber<P>(engine, outlet))
    }
  }
}

/// The subscriber to the outer publisher, whose values are publishers or become publishers.
@usableFromInline @frozen
struct SwitchSubscriber<Inner: Publisher>: EngineChild {
  @usableFromInline typealias Failure = Inner.Failure
  @usableFromInline let engine: OldEngine
  @usableFromInline let outlet: Outlet<Inner.Output, Inner.Failure>

  @inlinable
  init(_ engine: OldEngine, _ outlet: Outlet<Inner.Output, Inner.Failure>) {
    self.engine = engine
    self.outlet = outlet
  }

  @inlinable
  var slot: OldMachine.Slot { SwitchMachine.outer }

  @inlinable
  func receive(_ input: Inner) -> Subscribers.Demand {
    // A slot is an inner publisher's place in the state machine. Opening one cancels the previous inner publisher before this
    // returns.
    guard let slot = engine.open() else { return .none }
    engine.attachNew(input, Child(engine, outlet, slot: slot))
    return .none
  }
}

extension OldEngine {
  @usableFromInline
  static func switching() -> OldEngine { OldEngine(SwitchMachine()) }
}

extension Publishers.SwitchToLatest: Sendable where Upstream: Sendable {}
