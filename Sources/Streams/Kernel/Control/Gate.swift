public import Synchronization

/// The subscription of one branch of a broadcast: what it wants, and whether it is being served.
///
/// A gate is *open* when demand is unlimited and nothing is left to catch up with: then whoever sends delivers without
/// touching the lock. Else it is *guarded*: deliveries are counted, and serialised between the sender and a subscriber
/// that catches up with the current value on a thread of its own.
///
/// The gate is not generic and does not hold the subscriber; what does is the branch, which is let go of at the end.
///
/// It is also an inlet, so that what the two `sink` methods attach has one object for both ends when nothing but operators
/// that pass the subscription on stands between it and a subject. Every subscriber of a subject has a gate: its fields are in
/// an order that leaves no holes.
///
/// As the inlet of a sink it decides when the closures are let go of. What is attached to a source of the kernel goes with
/// that: such a source vouches for it (``vouch()``), and the closures are called without further ado. A publisher of somebody
/// else may keep its subscriber, or send from several threads at once: then calls are counted, and whoever comes last, the
/// last call or the cancellation, lets go of the closures, which are in a gate of their own kind (``letGo()``).
@usableFromInline
class Gate: Inlet {
  @usableFromInline
  enum Role: UInt8 {
    /// The inlet of something that is attached to anybody.
    case inlet
    /// The inlet of something that is attached to a source of the kernel.
    case vouchedFor
    /// The subscription of a branch, or going to be.
    case branch
  }

  @usableFromInline
  struct Passage {
    @usableFromInline var demand = Subscribers.Demand.none
    var role = Role.inlet
    /// How many calls are in progress, of those that are counted. If there were ever as many as fit, it stays so, and the
    /// closures are let go of with the gate.
    var calls: UInt8 = 0
    /// Whether there is a current value that the subscriber has not received, or one that is kept and does not wait for it.
    @usableFromInline var isStale = false
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

  @usableFromInline final let openness = Atomic(false)

  // Exclusive: these are reached only under the lock that is said, which runs nothing unknown meanwhile.

  /// Where the branch is in the list of the broadcast; protected by the lock of the broadcast.
  @exclusivity(unchecked) final var position: UInt32 = 0

  // Protected by the lock, like the state of the inlet, and reached in `withPassage` or `withLock` only.
  @usableFromInline @exclusivity(unchecked) final var passage = Passage()

  /// The version of the newest value that was delivered while guarded; protected by the lock until the gate is open, and not
  /// changed from then on.
  @usableFromInline @exclusivity(unchecked) final var delivered = -1

  @usableFromInline
  override init() {}

  @inlinable @inline(__always)
  final func withPassage<Result>(_ transition: (inout Passage) -> Result) -> Result {
    withLock { _ in transition(&passage) }
  }

  /// Makes one that is the subscription of a branch and nothing else.
  @usableFromInline
  init(isStale: Bool) {
    super.init()
    passage.role = .branch
    passage.isStale = isStale
  }

  /// Whether values may be delivered without counting.
  @inlinable
  final var isOpen: Bool { openness.load(ordering: .acquiring) }

  /// Makes this the subscription of a branch, unless it is one already or has been in use as an inlet.
  @usableFromInline
  final func adopt(isStale: Bool) -> Bool {
    withLock { state in
      guard state.isWaiting, passage.role == .inlet else { return false }
      passage.role = .branch
      passage.isStale = isStale
      return true
    }
  }

  /// Takes the branch, unless this has been cancelled.
  final func install(_ branch: AnyBranch, hasRequested: Bool) -> Bool {
    withPassage { passage in
      if passage.isOver { return false }
      passage.branch = branch
      passage.hasRequested = hasRequested
      return true
    }
  }

  /// Takes a branch whose broadcast is over, and gives it what that has kept before the completion.
  @usableFromInline
  final func installLate(_ branch: AnyBranch) {
    guard install(branch, hasRequested: true) else { return }
    withPassage { $0.isCompleting = true }
  }

  /// Ends the time in which the subscriber gets its subscription; returns false when something waits to be delivered, which
  /// the caller then does.
  @usableFromInline
  final func begin() -> Bool {
    withPassage { passage in
      guard !passage.isStale, !passage.isCompleting, !passage.hasBacklog else { return false }
      passage.isDelivering = false
      open(passage)
      return true
    }
  }

  /// Takes a subscription. The first one that comes once this has been adopted is itself: signals to one subscriber never
  /// overlap.
  @usableFromInline
  override final func connect(_ subscription: any Subscription) -> Bool {
    let (isTaken, role) = withLock { state in
      guard state.isWaiting, passage.role == .branch else { return (false, passage.role) }
      state.isWaiting = false
      link.store(Link.direct, ordering: .relaxed)
      return (true, .branch)
    }
    return isTaken || connect(subscription, as: role == .inlet ? Link.counted : Link.direct)
  }

  @usableFromInline
  override final func request(_ demand: Subscribers.Demand) {
    demand.requirePositive()
    var isFirst = false
    var catchesUp = false
    var fetches = false
    var isAdopted = true
    let branch: AnyBranch? = withPassage { passage in
      isAdopted = passage.role == .branch
      if passage.isOver || !isAdopted { return nil }
      passage.demand += demand
      isFirst = !passage.hasRequested
      passage.hasRequested = true
      if passage.isDelivering {
        fetches = passage.isStale
      } else {
        catchesUp = passage.isStale
        passage.isDelivering = passage.isStale
        open(passage)
      }
      return isFirst || catchesUp || fetches ? passage.branch : nil
    }
    if !isAdopted { return super.request(demand) }
    guard let branch else { return }
    if isFirst { branch.roster.requested() }
    if fetches { branch.fetch() }
    if catchesUp { branch.catchUp(isSender: false) }
  }

  /// Opens the gate if there is nothing left to count or to wait for; called with the lock held.
  @inlinable
  final func open(_ passage: Passage) {
    if passage.demand == .unlimited, !passage.isStale { openness.store(true, ordering: .releasing) }
  }

  @usableFromInline
  override func cancel() {
    let (subscription, branch, isIdle) = withLock { state in
      link.store(Link.none, ordering: .relaxed)
      state.isWaiting = false
      return (state.subscription.take(), close(&passage), passage.role == .inlet && passage.calls == 0)
    }
    subscription?.cancel()
    if let branch { branch.leave() }
    if isIdle { letGo() }
  }

  /// Ends the branch and returns it, if this is news.
  @usableFromInline
  final func close() -> AnyBranch? { withPassage { close(&$0) } }

  private func close(_ passage: inout Passage) -> AnyBranch? {
    passage.isOver = true
    openness.store(false, ordering: .relaxed)
    return passage.branch.take()
  }

  // MARK: Letting go of closures

  /// Lets go of what is called with values; done when nothing is called any more, outside the lock, perhaps twice.
  @usableFromInline
  func letGo() {}

  /// Takes note that what is to be connected is a source of the kernel: its signals never overlap, and it lets go of its
  /// subscriber when it is cancelled. Called by that source only, directly before it sends its subscription.
  @usableFromInline
  final func vouch() {
    withLock { state in
      if state.isWaiting, passage.role == .inlet { passage.role = .vouchedFor }
    }
  }

  /// Whether what is upstream is a source of the kernel, and this is connected.
  @inlinable
  final var isDirect: Bool { link.load(ordering: .relaxed) == Link.direct }

  /// Counts a call, if upstream is connected; then ``endCall()`` follows.
  @usableFromInline
  final func beginCall() -> Bool {
    withPassage { passage in
      guard isConnected else { return false }
      if passage.calls != .max { passage.calls += 1 }
      return true
    }
  }

  /// Records that upstream has ended, and counts the last call if this is news; then ``endCall()`` follows.
  @usableFromInline
  final func beginLastCall() -> Bool {
    let (isNews, _) = withLock { state in
      let isNews = link.exchange(Link.none, ordering: .relaxed) != Link.none
      if isNews, passage.calls != .max { passage.calls += 1 }
      state.isWaiting = false
      return (isNews, state.subscription.take())
    }
    return isNews
  }

  /// Ends a call, and lets go of the closures if it was the last.
  @usableFromInline
  final func endCall() {
    let isLast = withPassage { passage in
      if passage.calls != .max { passage.calls -= 1 }
      return passage.calls == 0 && !isConnected
    }
    if isLast { letGo() }
  }
}

extension Subscriber {
  /// Vouches for what this subscriber is about to be attached to, if that matters to it; see ``Gate/vouch()``.
  @inlinable @inline(__always)
  func vouchForUpstream() {
    _inlet?.gate.vouch()
  }
}
