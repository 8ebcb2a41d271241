public import Synchronization

/// The subscription of one branch of a broadcast: what it wants, and whether it is being served.
///
/// A gate is *open* when demand is unlimited and nothing is left to catch up with: then whoever sends delivers without
/// touching the lock. Else it is *guarded*: deliveries are counted, and serialised between the sender and a subscriber
/// that catches up with the current value on a thread of its own.
///
/// The gate is not generic and does not hold the subscriber; what does is reached through `hooks`, which are let go of at
/// the end.
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
    @usableFromInline var hasRequested = false
    @usableFromInline var hooks: Hooks?
  }

  /// What is behind the gate and knows types.
  @usableFromInline
  struct Hooks {
    /// Delivers what waits, for as long as there is demand.
    @usableFromInline let catchUp: () -> Void
    /// Tells the broadcast that somebody wants values.
    @usableFromInline let requested: () -> Void
    /// Takes the branch off the broadcast.
    @usableFromInline let detach: () -> Void

    @inlinable
    init(catchUp: @escaping () -> Void, requested: @escaping () -> Void, detach: @escaping () -> Void) {
      self.catchUp = catchUp
      self.requested = requested
      self.detach = detach
    }
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
  func install(_ hooks: Hooks) { withLock { $0.hooks = hooks } }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    demand.requirePositive()
    let (requested, catchUp) = withLock { state -> ((() -> Void)?, (() -> Void)?) in
      if state.isOver { return (nil, nil) }
      state.demand += demand
      let requested = state.hasRequested ? nil : state.hooks?.requested
      state.hasRequested = true
      if state.isDelivering { return (requested, nil) }
      guard state.isStale else {
        open(state)
        return (requested, nil)
      }
      state.isDelivering = true
      return (requested, state.hooks?.catchUp)
    }
    requested?()
    catchUp?()
  }

  /// Opens the gate if there is nothing left to count or to wait for; called with the lock held.
  @inlinable
  func open(_ state: State) {
    if state.demand == .unlimited, !state.isStale { openness.store(true, ordering: .releasing) }
  }

  @usableFromInline
  func cancel() { close()?.detach() }

  /// Ends the branch and returns the hooks, if this is news.
  @usableFromInline
  func close() -> Hooks? {
    withLock { state in
      state.isOver = true
      openness.store(false, ordering: .relaxed)
      return state.hooks.take()
    }
  }
}
