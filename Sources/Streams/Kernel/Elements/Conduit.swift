/// One subscriber of a broadcast, as the broadcast sees it: what knows the kinds of values and errors, not the subscriber,
/// which is in a ``Conduit``.
@usableFromInline @_fixed_layout
class Branch<Output, Failure: Error>: AnyBranch {
  @usableFromInline typealias Receive = (Branch, Output, _ version: Int) -> Subscribers.Demand

  /// Delivers a value if the gate lets it pass, or leaves it for later; a value of the version ``AnyBranch/atOnce`` is delivered
  /// whatever the gate says. Made like ``AnyBranch/act``.
  @usableFromInline final let receive: Receive

  // Exclusive: reached only under the lock of the gate, which runs nothing unknown meanwhile.
  /// Values that came while the subscriber was catching up; protected by the gate's lock.
  @usableFromInline @exclusivity(unchecked) final var backlog: Backlog<Output>?

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
    case .catchUp(let isSender): catchUp(isSender: isSender)
    case .fetch: fetch()
    case .complete: complete()
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
      if broadcast.kept != nil, state.isStale || version <= newest { return false }
      guard state.demand > backlog?.values.count ?? 0 else {
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
    if backlog == nil { backlog = Backlog() }
    backlog!.values.append((value, version))
    state.hasBacklog = true
  }

  /// The version of the newest value that waits, or was delivered; called with the gate's lock held.
  @inlinable
  final var newest: Int {
    guard let backlog, !backlog.values.isEmpty else { return gate.delivered }
    return backlog.values[backlog.values.count &- 1].version
  }

  /// Of several values that are kept, has those wait for the subscriber that it has missed and there is demand for, so that they
  /// cannot be forgotten any more.
  @inlinable @inline(never)
  final func fetch() {
    guard let kept = broadcast.kept else { return }
    broadcast.withElements { _, elements in
      gate.withPassage { state in
        guard !state.isOver, state.isStale else { return }
        let first = elements.version &+ 1 &- kept.values.count
        var version = Swift.max(newest &+ 1, first)
        while version <= elements.version, state.demand > backlog?.values.count ?? 0 {
          store(kept.values[version &- first], version, &state)
          version &+= 1
        }
        state.isStale = version <= elements.version
      }
    }
  }

  /// Delivers the completion, unless somebody is delivering, who then does it.
  @inlinable
  final func complete() {
    let delivers = gate.withPassage { state in
      if state.isOver { return false }
      state.isCompleting = true
      defer { state.isDelivering = true }
      return !state.isDelivering || backlog?.handover.take() == true
    }
    if delivers { catchUp(isSender: false) }
  }

  /// Delivers what waits. The caller has made itself the one who delivers.
  ///
  /// Values come from the sender of the broadcast. If that is the caller, it leaves the rest to itself, or to who takes over
  /// from it, once it has delivered for long. Else the caller delivers what had come when it entered, and leaves the rest to
  /// the sender, or to the next one.
  @inlinable
  final func catchUp(isSender: Bool) {
    fetch()
    var turn = gate.withPassage { _ in isSender ? Turn() : Turn(backlog?.values.count ?? 0) }
    while true {
      let step = gate.withPassage { nextStep(&$0, &turn) }
      let more: Subscribers.Demand
      switch step {
      case .stop: return
      case .handOn:
        if roster.leaveToSender(self) || handOn(&turn) { return }
        continue
      case .drop: continue
      case .deliver(let value): more = receive(self, value, Self.atOnce)
      case .replay:
        if broadcast.kept != nil {
          fetch()
          continue
        }
        guard let (value, version) = broadcast.currentValue, isNews(version) else { continue }
        more = receive(self, value, Self.atOnce)
      case .complete:
        _ = gate.close()
        return act(self, .receiveCompletion)
      }
      if more != .none { gate.withPassage { $0.demand += more } }
    }
  }

  /// Offers the role of whoever delivers to the next sender; returns whether one has taken it.
  @inlinable @inline(never)
  final func handOn(_ turn: inout Turn) -> Bool {
    func withHandover(_ change: (inout Handover) -> Bool) -> Bool {
      gate.withPassage { _ in backlog.map { change(&$0.handover) } ?? false }
    }
    return withHandover { turn.offers(&$0) } && turn.isTaken(withHandover)
  }

  /// Whether the current value is newer than what was delivered; if not, its demand is given back.
  @inlinable
  final func isNews(_ version: Int) -> Bool {
    gate.withPassage { state in
      if version > gate.delivered {
        gate.delivered = version
        return true
      }
      state.demand += 1
      return false
    }
  }

  @inlinable
  final func nextStep(_ state: inout Gate.Passage, _ turn: inout Turn) -> CatchUpStep<Output> {
    if state.isOver {
      state.isDelivering = false
      return .stop
    }
    if let backlog, !backlog.values.isEmpty, turn.isUp(&backlog.handover) {
      turn.extend()
      return .handOn
    }
    if let (value, version) = backlog?.values.popFirst() {
      guard version > gate.delivered else { return .drop(value) }
      if version != Int.max { gate.delivered = version }
      _ = state.demand.spend()
      return .deliver(value)
    }
    state.hasBacklog = false
    let isKept = broadcast.kept != nil && state.isStale
    if state.isCompleting, !isKept { return .complete }
    if isKept, state.demand != .none { return .replay }
    if !isKept, state.isStale, state.demand.spend() {
      state.isStale = false
      return .replay
    }
    state.isDelivering = false
    backlog?.handover.end()
    gate.open(state)
    // From now on nothing waits here; what was replayed may have taken much room.
    if gate.isOpen { backlog = nil }
    return .stop
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
        case .catchUp, .fetch, .complete: conduit.actOnValues(action)
        }
      })
  }
}

/// Values that wait for a subscriber. An object, because few subscribers ever need one.
@usableFromInline @_fixed_layout
final class Backlog<Value> {
  // Exclusive: reached only under the lock of the gate, which runs nothing unknown meanwhile.
  @usableFromInline @exclusivity(unchecked) var values = Ring<(value: Value, version: Int)>()

  /// How the role of whoever delivers is handed on; protected by the gate's lock.
  @usableFromInline @exclusivity(unchecked) var handover = Handover()

  @inlinable
  init() {}
}

/// What a subscriber that catches up does next.
@usableFromInline
enum CatchUpStep<Value> {
  case stop
  case deliver(Value)
  /// Others may go on: the caller has delivered for long.
  case handOn
  /// The value has been overtaken; it dies outside the lock.
  case drop(Value)
  case replay
  case complete
}
