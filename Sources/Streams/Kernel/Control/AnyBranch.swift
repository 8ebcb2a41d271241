/// One subscriber of a broadcast, without the types of what it receives.
///
/// Here is what decides about the values that wait for a subscriber; taking them out and delivering them is the ``Branch``'s.
///
/// The closure captures nothing; it was made where the subscriber's type is known and gets the branch as its argument. So
/// it runs specialised, no table is asked, and there is no cycle.
@usableFromInline @_fixed_layout
class AnyBranch {
  @usableFromInline typealias Act = (AnyBranch, BranchAction) -> Void

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
  @usableFromInline
  final var newest: Int {
    guard let backlog, !backlog.versions.isEmpty else { return gate.delivered }
    return backlog.versions[backlog.versions.count &- 1]
  }

  /// Of several values that are kept, has those wait for the subscriber that it has missed and there is demand for, so that they
  /// cannot be forgotten any more.
  final func fetch() {
    if roster.keepsSeveral { act(self, .fetch) }
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
    var turn = gate.withPassage { _ in isSender ? Turn() : Turn(backlog?.versions.count ?? 0) }
    while true {
      switch gate.withPassage({ nextStep(&$0, &turn) }) {
      case .stop: return
      case .handOn:
        if roster.leaveToSender(self) || handOn(&turn) { return }
      case .deliver: act(self, .deliverNext)
      case .replay: act(self, roster.keepsSeveral ? .fetch : .replay)
      case .complete:
        _ = gate.close()
        return act(self, .receiveCompletion)
      }
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
