/// One subscriber of a broadcast, without the types of what it receives.
///
/// Here is what decides about the values that wait for a subscriber; taking them out and delivering them is the ``Branch``'s.
///
/// The closure captures nothing; it was made where the subscriber's type is known and gets the branch as its argument. So
/// it runs specialised, no table is asked, and there is no cycle.
@usableFromInline @_fixed_layout
class AnyBranch {
  @usableFromInline typealias Act = (AnyBranch, BranchAction) -> Subscribers.Demand

  @usableFromInline final let gate: Gate
  @usableFromInline final let roster: Roster
  @usableFromInline final let act: Act

  // Exclusive: reached only under the lock of the gate, which runs nothing unknown meanwhile.
  /// Values that came while the subscriber was catching up; protected by the gate's lock.
  @usableFromInline @exclusivity(unchecked) final var backlog: AnyBacklog?

  /// The version of values that are delivered by whoever has made itself the one who delivers to the subscriber.
  @inlinable
  static var atOnce: Int { .min }

  @inlinable
  init(_ gate: Gate, _ roster: Roster, act: @escaping Act) {
    self.gate = gate
    self.roster = roster
    self.act = act
  }

  /// Takes this off the list.
  final func leave() { roster.remove(self) }

  /// The version of the newest value that waits, or was delivered; called with the gate's lock held.
  final var newest: Int {
    guard let backlog, !backlog.versions.isEmpty else { return gate.delivered }
    return backlog.versions[backlog.versions.count &- 1]
  }

  /// Of several values that are kept, has those wait for the subscriber that it has missed and there is demand for, so that they
  /// cannot be forgotten any more.
  final func fetch() {
    if roster.keepsSeveral { _ = act(self, .fetch) }
  }

  /// Delivers the completion, unless somebody is delivering, who then does it.
  @usableFromInline
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
  @usableFromInline
  final func catchUp(isSender: Bool) {
    fetch()
    deliverRest(gate.withPassage { _ in isSender ? Turn() : Turn(backlog?.versions.count ?? 0) })
  }

  private final func deliverRest(_ turn: consuming Turn) {
    while true {
      var more = Subscribers.Demand.none
      switch gate.withPassage({ nextStep(&$0, &turn) }) {
      case .stop: return
      case .handOn:
        if roster.leaveToSender(self) || handOn(&turn) { return }
      case .deliver: more = act(self, .deliverNext)
      case .replay: more = act(self, roster.keepsSeveral ? .fetch : .replay)
      case .complete:
        _ = gate.close()
        _ = act(self, .receiveCompletion)
        return
      }
      if more != .none { gate.withPassage { $0.demand += more } }
    }
  }

  /// Takes in a value if there is demand. If nobody delivers, the caller is to deliver it, and then to call
  /// ``endDelivering(_:)``: returns true. Else it is put behind those that wait, with `store`.
  @usableFromInline
  final func takeIn(_ version: Int, _ makeBacklog: () -> AnyBacklog, _ store: (AnyBacklog) -> Void) -> Bool {
    var catchesUp = false
    let isDelivered = gate.withPassage { state in
      guard !state.isOver, version > gate.delivered else { return false }
      // Of several values that are kept, those that were missed come first; this one is kept behind them, or waits already.
      if roster.keepsSeveral, state.isStale || version <= newest { return false }
      guard state.demand > backlog?.versions.count ?? 0 else {
        state.isStale = version != Int.max
        return false
      }
      // It is newer than what was missed. Were that replayed afterwards, it would overtake values that come meanwhile.
      state.isStale = false
      if state.isDelivering {
        catchesUp = putBehind(version, &state, makeBacklog, store).handover.take()
        return false
      }
      state.isDelivering = true
      take(version, &state)
      return true
    }
    if catchesUp { catchUp(isSender: true) }
    return isDelivered
  }

  /// Ends the delivery of a value that was taken in; whoever sends delivers what has come meanwhile.
  @usableFromInline
  final func endDelivering(_ more: Subscribers.Demand) {
    if more != .none { gate.withPassage { $0.demand += more } }
    deliverRest(Turn())
  }

  /// Puts a value behind those that wait; called with the gate's lock held.
  @discardableResult
  final func putBehind(
    _ version: Int, _ state: inout Gate.Passage, _ makeBacklog: () -> AnyBacklog, _ store: (AnyBacklog) -> Void
  ) -> AnyBacklog {
    let backlog = backlog ?? makeBacklog()
    self.backlog = backlog
    backlog.versions.append(version)
    store(backlog)
    state.hasBacklog = true
    return backlog
  }

  /// Takes out, with `take`, the value that has waited longest, unless nothing is wanted any more; returns whether it is to be
  /// delivered, as it has not been overtaken.
  @usableFromInline
  final func takeOut(_ take: (AnyBacklog) -> Void) -> Bool {
    gate.withPassage { state in
      guard let backlog, !state.isOver else { return false }
      let version = backlog.versions.removeExistingFirst()
      take(backlog)
      guard version > gate.delivered else { return false }
      self.take(version, &state)
      return true
    }
  }

  /// Counts a value as delivered.
  private final func take(_ version: Int, _ state: inout Gate.Passage) {
    if version != Int.max { gate.delivered = version }
    _ = state.demand.spend()
  }

  /// Whether the current value is newer than what was delivered; if not, its demand is given back.
  @usableFromInline
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

  /// What a subscriber that catches up does next.
  private enum Step {
    case stop
    /// Delivers the value that has waited longest.
    case deliver
    /// Others may go on: the caller has delivered for long.
    case handOn
    case replay
    case complete
  }

  private final func nextStep(_ state: inout Gate.Passage, _ turn: inout Turn) -> Step {
    if state.isOver {
      state.isDelivering = false
      return .stop
    }
    if let backlog, !backlog.versions.isEmpty {
      if !turn.isUp(&backlog.handover) { return .deliver }
      turn.extend()
      return .handOn
    }
    state.hasBacklog = false
    let isKept = roster.keepsSeveral && state.isStale
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

  /// Offers the role of whoever delivers to the next sender; returns whether one has taken it.
  private final func handOn(_ turn: inout Turn) -> Bool {
    func withHandover(_ change: (inout Handover) -> Bool) -> Bool {
      gate.withPassage { _ in backlog.map { change(&$0.handover) } ?? false }
    }
    return withHandover { turn.offers(&$0) } && turn.isTaken(withHandover)
  }
}

/// What a branch does besides receiving values.
@usableFromInline
enum BranchAction {
  /// Hands the subscriber its subscription.
  case receive(SubscriptionObject)
  /// Hands the subscriber the completion of the broadcast.
  case receiveCompletion
  /// Delivers the value that has waited longest.
  case deliverNext
  /// Delivers the current value, unless it is no news.
  case replay
  /// Takes what the broadcast keeps and there is demand for, before more is sent.
  case fetch
}

/// Values that wait for a subscriber, without their kind. An object, because few subscribers ever need one.
@usableFromInline @_fixed_layout
class AnyBacklog {
  // Exclusive: reached only under the lock of the gate, which runs nothing unknown meanwhile.
  /// Of each value.
  @usableFromInline @exclusivity(unchecked) final var versions = Ring<Int>()

  /// How the role of whoever delivers is handed on; protected by the gate's lock.
  @usableFromInline @exclusivity(unchecked) final var handover = Handover()

  @inlinable
  init() {}
}
