public import Synchronization

/// The subscription of one branch of a broadcast: what it wants, and whether it is being served.
///
/// A gate is *open* when demand is unlimited and nothing is left to catch up with: then whoever sends delivers without
/// touching the lock. Else it is *guarded*: deliveries are counted, and serialised between the sender and a subscriber
/// that catches up with the current value on a thread of its own.
///
/// The gate is not generic and does not hold the subscriber; what does is the branch, which is let go of at the end.
///
/// Every subscriber of a subject has one: its fields are in an order that leaves no holes.
@usableFromInline
final class Gate: Locked<Gate.State>, Subscription {
  @usableFromInline
  struct State {
    @usableFromInline var demand = Subscribers.Demand.none
    /// Whether there is a current value that the subscriber has not received.
    @usableFromInline var isStale: Bool
    /// Whether somebody delivers to the subscriber; true from the beginning, until it has its subscription.
    @usableFromInline var isDelivering = true
    @usableFromInline var isOver = false
    @usableFromInline var isCompleting = false
    /// Whether values came while the subscriber was catching up or not ready.
    @usableFromInline var hasBacklog = false
    /// Whether the broadcast knows that somebody wants values.
    @usableFromInline var hasRequested = false
    @usableFromInline var branch: AnyBranch?
  }

  @usableFromInline let openness = Atomic(false)

  /// Where the branch is in the list of the broadcast; protected by the lock of the broadcast.
  @exclusivity(unchecked) var position: UInt32 = 0

  /// The version of the newest value that was delivered while guarded; protected by the gate's lock until it is open,
  /// and not changed from then on.
  @usableFromInline @exclusivity(unchecked) var delivered = -1

  @usableFromInline
  init(isStale: Bool) { super.init(State(isStale: isStale)) }

  /// Whether values may be delivered without counting.
  @inlinable
  var isOpen: Bool { openness.load(ordering: .acquiring) }

  @usableFromInline
  func install(_ branch: AnyBranch, hasRequested: Bool) {
    withLock { state in
      state.branch = branch
      state.hasRequested = hasRequested
    }
  }

  /// Ends the time in which the subscriber gets its subscription; returns false when something waits to be delivered, which
  /// the caller then does.
  @usableFromInline
  func begin() -> Bool {
    withLock { state in
      guard !state.isStale, !state.isCompleting, !state.hasBacklog else { return false }
      state.isDelivering = false
      open(state)
      return true
    }
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    demand.requirePositive()
    var isFirst = false
    var catchesUp = false
    let branch: AnyBranch? = withLock { state in
      if state.isOver { return nil }
      state.demand += demand
      isFirst = !state.hasRequested
      state.hasRequested = true
      if !state.isDelivering {
        catchesUp = state.isStale
        state.isDelivering = state.isStale
        open(state)
      }
      return isFirst || catchesUp ? state.branch : nil
    }
    guard let branch else { return }
    if isFirst { branch.roster.requested() }
    if catchesUp { branch.act(branch, .catchUp) }
  }

  /// Opens the gate if there is nothing left to count or to wait for; called with the lock held.
  @inlinable
  func open(_ state: State) {
    if state.demand == .unlimited, !state.isStale { openness.store(true, ordering: .releasing) }
  }

  @usableFromInline
  func cancel() {
    if let branch = close() { branch.roster.remove(self) }
  }

  /// Ends the branch and returns it, if this is news.
  @usableFromInline
  func close() -> AnyBranch? {
    withLock { state in
      state.isOver = true
      openness.store(false, ordering: .relaxed)
      return state.branch.take()
    }
  }
}

/// One subscriber of a broadcast, without the types of what it receives.
///
/// The closure captures nothing; it was made where the subscriber's type is known and gets the branch as its argument. So
/// it runs specialised, no table is asked, and there is no cycle.
@usableFromInline
class AnyBranch {
  @usableFromInline typealias Act = (AnyBranch, BranchAction) -> Void

  @usableFromInline final let gate: Gate
  @usableFromInline final let roster: Roster
  @usableFromInline final let act: Act

  @inlinable
  init(_ gate: Gate, _ roster: Roster, act: @escaping Act) {
    self.gate = gate
    self.roster = roster
    self.act = act
  }
}

/// What a branch does besides receiving values.
@usableFromInline
enum BranchAction {
  /// Delivers what waits, for as long as there is demand.
  case catchUp
  /// Delivers the completion, after what waits.
  case complete
}
