public import Synchronization

/// The subscription of one branch of a broadcast: what it wants, and whether it is being served.
///
/// A gate is *open* when demand is unlimited and nothing is left to catch up with: then whoever sends delivers without
/// touching the lock. Else it is *guarded*: deliveries are counted, and serialised between the sender and a subscriber
/// that catches up with the current value on a thread of its own.
///
/// The gate is not generic and does not hold the subscriber; what does is the branch, which is let go of at the end.
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

  /// The version of the newest value that was delivered while guarded; protected by the gate's lock until it is open,
  /// and not changed from then on.
  @usableFromInline @exclusivity(unchecked) var delivered = -1

  /// Where the branch is in the list of the broadcast; protected by the lock of the broadcast.
  @usableFromInline @exclusivity(unchecked) var position = 0

  @usableFromInline let openness = Atomic(false)

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
    if isFirst { branch.requested(branch) }
    if catchesUp { branch.catchUp(branch) }
  }

  /// Opens the gate if there is nothing left to count or to wait for; called with the lock held.
  @inlinable
  func open(_ state: State) {
    if state.demand == .unlimited, !state.isStale { openness.store(true, ordering: .releasing) }
  }

  @usableFromInline
  func cancel() {
    if let branch = close() { branch.detach(branch) }
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

/// A branch as its gate sees it. The closures capture nothing, like those of ``AnyOutlet``.
@usableFromInline
class AnyBranch {
  @usableFromInline typealias Action = (AnyBranch) -> Void

  /// Delivers what waits, for as long as there is demand.
  @usableFromInline final let catchUp: Action
  /// Tells the broadcast that somebody wants values.
  @usableFromInline final let requested: Action
  /// Takes the branch off the broadcast.
  @usableFromInline final let detach: Action

  @inlinable
  init(catchUp: @escaping Action, requested: @escaping Action, detach: @escaping Action) {
    self.catchUp = catchUp
    self.requested = requested
    self.detach = detach
  }
}
