extension Publisher where Output: Publisher, Output.Failure == Failure {
  /// Publishes values from the most recent publisher that upstream has published.
  ///
  ///     queries.map { search($0) }.switchToLatest()
  ///
  /// ![queries publishes a and b and finishes; search(a) publishes a1 and is cancelled; search(b) publishes b1 and b2 and finishes; the result publishes a1, b1 and b2 and finishes.](diagram-switchToLatest)
  ///
  /// When a new publisher arrives, the operator cancels the previous one before it subscribes to the new one. It requests
  /// unlimited demand from upstream and the remaining demand from each inner publisher. The stream finishes when upstream and
  /// the last inner publisher have finished. It fails as soon as one of them fails, which cancels the other. Cancellation
  /// cancels both.
  @inlinable
  public __consuming func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Failure == Never {
  /// Publishes values from the most recent inner publisher, when only inner publishers can fail.
  ///
  /// It's otherwise like ``switchToLatest()-7j10o``.
  @inlinable
  public __consuming func switchToLatest()
    -> Publishers.SwitchToLatest<Output, Publishers.SetFailureType<Self, Output.Failure>>
  {
    setFailureType(to: Output.Failure.self).switchToLatest()
  }
}

extension Publisher where Output: Publisher, Failure == Never, Output.Failure == Never {
  /// Publishes values from the most recent inner publisher, when neither upstream nor inner publishers can fail.
  ///
  /// It's otherwise like ``switchToLatest()-7j10o``.
  @inlinable
  public __consuming func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
  /// Publishes values from the most recent inner publisher, when inner publishers can't fail.
  ///
  /// It's otherwise like ``switchToLatest()-7j10o``.
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

    public let upstream: Upstream

    @usableFromInline let name: OperatorName?

    @inlinable
    public init(upstream: Upstream) { self.init(upstream, as: nil) }

    @inlinable
    package init(_ upstream: Upstream, as name: OperatorName?) {
      self.upstream = upstream
      self.name = name
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      SwitchEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), name).attach(outer: upstream) { $0 }
    }
  }
}

/// Forwards the elements of the newest source that the outer source has sent, and cancels the previous one.
@usableFromInline
package final class SwitchEngine: Engine {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var outer = SingleSource()
  @exclusivity(unchecked) private var inner = SingleSource()
  /// The slot of the newest source, or 0 before the first source.
  @exclusivity(unchecked) private var current = 0

  private let alias: OperatorName?

  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout, _ alias: OperatorName?) {
    self.alias = alias
    super.init(receiver, layout, [])
    begin(receiver)
  }

  package override var name: String { alias?.text ?? "switchToLatest" }

  package override func openSlot(_ reaction: inout Reaction) -> Int? {
    inner.cancel(&reaction)
    inner = SingleSource()
    current += 1
    return current
  }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? {
    if slot == 0 { return outer.connected(subscription, requesting: .unlimited) }
    return slot == current ? inner.connected(subscription, requesting: reaction.demand - reaction.waiting) : nil
  }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    reaction.request(more, from: inner.subscription)
  }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    if slot == current, inner.isLive { reaction.emit() }
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    guard slot == 0 ? outer.ended(&reaction) : slot == current && inner.ended(&reaction) else { return }
    if case .failure = completion {
      reaction.endEarly(with: completion)
      cancelSources(&reaction)
    } else if !outer.isLive, current == 0 || !inner.isLive {
      reaction.finish()
    }
  }

  package override func cancelSources(_ reaction: inout Reaction) {
    outer.cancel(&reaction)
    inner.cancel(&reaction)
  }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    outer.tell(tell)
    if current != 0 { inner.tell(tell, slot: 1) }
    tell(.succeeded, current, nil)
  }
}

extension Publishers.SwitchToLatest: Sendable where Upstream: Sendable {}
