public import Synchronization

/// The subscription of one branch of a broadcast: the demand of its subscriber, and the state of deliveries to it.
///
/// A gate is *open* when demand is unlimited and the subscriber has nothing to catch up with: the sender then delivers
/// without taking the lock. Otherwise it is *guarded*: deliveries are counted, and serialized between the sender and a
/// subscriber that catches up with the current value on its own thread.
///
/// The gate is not generic and does not hold the subscriber. The branch does, and it is released at the end of the
/// stream.
///
/// A gate is also an inlet, so that the subscriber of either `sink` method has a single object for both ends when there
/// are only operators that forward the subscription between it and a subject. Every subscriber of a subject has a gate,
/// so the order of its fields leaves no padding.
///
/// As the inlet of a sink, the gate decides when the closures are released. A source of the kernel vouches for itself
/// (``vouch()``): its signals never overlap, and it releases its subscriber, so the closures are called without
/// counting and are released with the subscriber. A foreign publisher may keep its subscriber, or send from several
/// threads at once: calls are then counted, and the last call or the cancellation, whichever is later, releases the
/// closures, which are stored in a subclass of the gate (``letGo()``).
@usableFromInline
class Gate: Inlet {
  @usableFromInline
  enum Role: UInt8 {
    /// The inlet of a subscriber whose upstream is unknown.
    case inlet
    /// The inlet of a subscriber whose upstream is a source of the kernel.
    case vouchedFor
    /// The subscription of a branch, or about to become one.
    case branch
  }

  @usableFromInline
  struct Passage {
    @usableFromInline var demand = Subscribers.Demand.none
    var role = Role.inlet
    /// The number of counted calls in progress. If it ever reaches the maximum, it stays there, and the closures are
    /// released together with the gate.
    var calls: UInt8 = 0
    /// Indicates whether there is a current value that the subscriber has not received, or a kept value that is not yet
    /// in its backlog.
    @usableFromInline var isStale = false
    /// Indicates whether a delivery to the subscriber is in progress. True from the beginning until the subscriber has
    /// its subscription.
    @usableFromInline var isDelivering = true
    @usableFromInline var isOver = false
    @usableFromInline var isCompleting = false
    /// Indicates whether values arrived while the subscriber was catching up or was not ready.
    @usableFromInline var hasBacklog = false
    /// Indicates whether the broadcast knows that there is demand.
    @usableFromInline var hasRequested = false
    @usableFromInline var branch: AnyBranch?
  }

  @usableFromInline final let openness = Atomic(false)

  // Exclusive: each field is accessed only under the lock that its comment names, which is never held while unknown
  // code runs.

  /// The position of the branch in the broadcast's list. Protected by the broadcast's lock.
  @exclusivity(unchecked) final var position: UInt32 = 0

  // Protected by the lock, like the inlet's state, and accessed only in `withPassage` or `withLock`.
  @usableFromInline @exclusivity(unchecked) final var passage = Passage()

  /// The version of the newest value that was delivered while the gate was guarded. Protected by the lock until the
  /// gate is open, and constant from then on.
  @usableFromInline @exclusivity(unchecked) final var delivered = -1

  @usableFromInline
  override init() {}

  @inlinable @inline(__always)
  final func withPassage<Result>(_ transition: (inout Passage) -> Result) -> Result {
    withLock { _ in transition(&passage) }
  }

  /// Creates a gate that is only the subscription of a branch.
  @usableFromInline
  init(isStale: Bool) {
    super.init()
    passage.role = .branch
    passage.isStale = isStale
  }

  /// Indicates whether values may be delivered without counting.
  @inlinable
  final var isOpen: Bool { openness.load(ordering: .acquiring) }

  /// Turns this into the subscription of a branch, unless it already is one or has been used as an inlet.
  @usableFromInline
  final func adopt(isStale: Bool) -> Bool {
    withLock { state in
      guard state.isWaiting, passage.role == .inlet else { return false }
      passage.role = .branch
      passage.isStale = isStale
      return true
    }
  }

  /// Stores the branch, unless this has been cancelled.
  final func install(_ branch: AnyBranch, hasRequested: Bool) -> Bool {
    withPassage { passage in
      if passage.isOver { return false }
      passage.branch = branch
      passage.hasRequested = hasRequested
      return true
    }
  }

  /// Stores a branch whose broadcast is over, so that it receives the kept values before the completion.
  @usableFromInline
  final func installLate(_ branch: AnyBranch) {
    guard install(branch, hasRequested: true) else { return }
    withPassage { $0.isCompleting = true }
  }

  /// Marks the subscriber as having its subscription. Returns false if something waits to be delivered, which the
  /// caller must then do.
  @usableFromInline
  final func begin() -> Bool {
    withPassage { passage in
      guard !passage.isStale, !passage.isCompleting, !passage.hasBacklog else { return false }
      passage.isDelivering = false
      open(passage)
      return true
    }
  }

  /// Accepts a subscription. Once this has been adopted, the first one to arrive is the gate itself, from a source
  /// whose signals never overlap.
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
    guard demand.isRequest else { return }
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
    if isFirst { branch.requested() }
    if fetches { branch.fetch() }
    if catchesUp { branch.catchUp(isSender: false) }
  }

  /// Opens the gate if there is nothing left to count or to wait for. Called with the lock held.
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

  /// Ends the branch, and returns it the first time.
  @usableFromInline
  final func close() -> AnyBranch? { withPassage { close(&$0) } }

  private func close(_ passage: inout Passage) -> AnyBranch? {
    passage.isOver = true
    openness.store(false, ordering: .relaxed)
    return passage.branch.take()
  }

  // MARK: Releasing closures

  /// Releases the closures that are called with values. Called outside the lock when no call is in progress any more,
  /// possibly twice.
  @usableFromInline
  func letGo() {}

  /// Records that the publisher about to connect is a source of the kernel: its signals never overlap, and it releases
  /// its subscriber when it is cancelled. Called only by that source, directly before it sends its subscription.
  @usableFromInline
  final func vouch() {
    withLock { state in
      if state.isWaiting, passage.role == .inlet { passage.role = .vouchedFor }
    }
  }

  /// Indicates whether this is connected, and upstream is a source of the kernel.
  @inlinable
  final var isDirect: Bool { link.load(ordering: .relaxed) == Link.direct }

  /// Counts a call if upstream is connected. If it returns true, ``endCall()`` must follow.
  @usableFromInline
  final func beginCall() -> Bool {
    withPassage { passage in
      guard isForwarding else { return false }
      if passage.calls != .max { passage.calls += 1 }
      return true
    }
  }

  /// Records that upstream has ended, and counts the last call if that was not known before. If it returns true,
  /// ``endCall()`` must follow.
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

  /// Ends a call, and releases the closures if it was the last.
  @usableFromInline
  final func endCall() {
    let isLast = withPassage { passage in
      if passage.calls != .max { passage.calls -= 1 }
      return passage.calls == 0 && !isForwarding
    }
    if isLast { letGo() }
  }
}

extension Subscriber {
  /// Vouches for the publisher that is about to send its subscription, if that matters to this subscriber; see
  /// ``Gate/vouch()``.
  @inlinable @inline(__always)
  func vouchForUpstream() {
    _inlet?.gate.vouch()
  }
}
