/// One subscriber of a broadcast, as the broadcast sees it: what knows the kinds of values and errors, not the subscriber,
/// which is in a ``Conduit``.
@usableFromInline @_fixed_layout
class Branch<Output, Failure: Error>: AnyBranch {
  @usableFromInline typealias Receive = (Branch, Output, _ version: Int) -> Subscribers.Demand

  /// Delivers a value if the gate lets it pass, or leaves it for later; a value of the version ``AnyBranch/atOnce`` is delivered
  /// whatever the gate says. Made like ``AnyBranch/act``.
  @usableFromInline final let receive: Receive

  @inlinable
  init(_ gate: Gate, _ roster: Roster, receive: @escaping Receive, act: @escaping Act) {
    self.receive = receive
    super.init(gate, roster, act: act)
  }

  @inlinable
  final var broadcast: Broadcast<Output, Failure> { unsafeDowncast(roster, to: Broadcast.self) }

  /// Does what has to do with values.
  ///
  /// Never inlined: it is there once for each kind of values.
  @inlinable @inline(never)
  final func actOnValues(_ action: BranchAction) {
    switch action {
    case .deliverNext: deliverNext()
    case .replay: replay()
    case .fetch: fetch(from: broadcast)
    case .receive, .receiveCompletion: break
    }
  }

  /// Delivers a value if there is demand and nobody else is delivering.
  ///
  /// A function of its own, so that what is called for every value stays small.
  @inlinable @inline(never)
  final func receiveGuarded(_ value: Output, version: Int) {
    let delivers = gate.withPassage { state in
      guard !state.isOver, version > gate.delivered else { return false }
      // Of several values that are kept, those that were missed come first; this one is kept behind them, or waits already.
      if roster.keepsSeveral, state.isStale || version <= newest { return false }
      guard state.demand > backlog?.versions.count ?? 0 else {
        state.isStale = version != Int.max
        return false
      }
      store(value, version, &state)
      // It is newer than what was missed. Were that replayed afterwards, it would overtake values that come meanwhile.
      state.isStale = false
      defer { state.isDelivering = true }
      return !state.isDelivering || backlog!.handover.take()
    }
    if delivers { catchUp(isSender: true) }
  }

  @inlinable @inline(__always)
  final func store(_ value: Output, _ version: Int, _ state: inout Gate.Passage) {
    let backlog = self.backlog ?? Backlog<Output>()
    self.backlog = backlog
    backlog.versions.append(version)
    unsafeDowncast(backlog, to: Backlog<Output>.self).values.append(value)
    state.hasBacklog = true
  }

  /// Delivers a value; the caller has made itself the one who delivers.
  @inlinable @inline(__always)
  final func deliver(_ value: Output) {
    let more = receive(self, value, Self.atOnce)
    if more != .none { gate.withPassage { $0.demand += more } }
  }

  @inlinable @inline(__always)
  final func deliverNext() {
    var value: Output?
    let isNews = gate.withPassage { state in
      guard let backlog, !state.isOver else { return false }
      let version = backlog.versions.removeExistingFirst()
      value = unsafeDowncast(backlog, to: Backlog<Output>.self).values.removeExistingFirst()
      // If it has been overtaken, it dies outside the lock.
      guard version > gate.delivered else { return false }
      if version != Int.max { gate.delivered = version }
      _ = state.demand.spend()
      return true
    }
    if isNews, let value { deliver(value) }
  }

  /// Delivers the current value; if it is no newer than what was delivered, its demand is given back.
  @inlinable @inline(__always)
  final func replay() {
    guard let (value, version) = broadcast.currentValue else { return }
    let isNews = gate.withPassage { state in
      if version > gate.delivered {
        gate.delivered = version
        return true
      }
      state.demand += 1
      return false
    }
    if isNews { deliver(value) }
  }

  // Not inlined, nor compiled for each kind of values: few broadcasts keep several.
  @usableFromInline
  final func fetch(from broadcast: Broadcast<Output, Failure>) {
    guard let kept = broadcast.kept else { return }
    broadcast.withElements { _, elements in
      gate.withPassage { state in
        guard !state.isOver, state.isStale else { return }
        let first = elements.version &+ 1 &- kept.values.count
        var version = Swift.max(newest &+ 1, first)
        while version <= elements.version, state.demand > backlog?.versions.count ?? 0 {
          store(kept.values[version &- first], version, &state)
          version &+= 1
        }
        state.isStale = version <= elements.version
      }
    }
  }
}

/// Joins a gate and a subscriber.
@usableFromInline @_fixed_layout
final class Conduit<Downstream: Subscriber>: Branch<Downstream.Input, Downstream.Failure> {
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ downstream: Downstream, _ gate: Gate, _ broadcast: Broadcast<Downstream.Input, Downstream.Failure>) {
    self.downstream = downstream
    super.init(
      gate, broadcast,
      receive: { branch, value, version in
        let conduit = unsafeDowncast(branch, to: Conduit.self)
        let isOpen = conduit.gate.isOpen
        if isOpen, version > conduit.gate.delivered { return conduit.downstream.receive(value) }
        // The gate may have been opened after a sender found it guarded.
        if version == AnyBranch.atOnce { return conduit.downstream.receive(value) }
        if !isOpen { conduit.receiveGuarded(value, version: version) }
        return .none
      },
      act: { branch, action in
        let conduit = unsafeDowncast(branch, to: Conduit.self)
        switch action {
        case .receive(let subscription): conduit.downstream.receive(subscription: subscription)
        case .receiveCompletion:
          if let completion = conduit.broadcast.completion { conduit.downstream.receive(completion: completion) }
        case .deliverNext, .replay, .fetch: conduit.actOnValues(action)
        }
      })
  }
}

/// Values that wait for a subscriber.
@usableFromInline @_fixed_layout
final class Backlog<Value>: AnyBacklog {
  // Exclusive: reached only under the lock of the gate, which runs nothing unknown meanwhile.
  @usableFromInline @exclusivity(unchecked) var values = Ring<Value>()

  @inlinable
  override init() {}
}
