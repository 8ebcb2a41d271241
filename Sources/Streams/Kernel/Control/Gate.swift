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
/// are only operators that forward the subscription between it and a subject. A sink with another upstream uses the
/// ``CountedInlet`` only. Every subscriber of a subject has a gate, so the order of its fields leaves no padding.
@usableFromInline
class Gate: CountedInlet {
  @usableFromInline
  struct Passage {
    @usableFromInline var demand = Subscribers.Demand.none
    @usableFromInline var branch: AnyBranch?
    @usableFromInline var phase = Phase.running
    /// Indicates whether there may be a current value that the subscriber has not received, or a kept value that is not yet
    /// in its backlog. True at first, if the broadcast replays; then the first look of the subscriber tells.
    @usableFromInline var isStale = false
    /// Indicates whether the broadcast knows that there is demand.
    @usableFromInline var hasRequested = false
  }

  /// The phases of the subscription, in order.
  @usableFromInline
  enum Phase {
    case running
    /// The completion follows what waits.
    case completing
    /// The subscription has been cancelled, or the completion is being or has been delivered.
    case over
  }

  @usableFromInline final let openness = Atomic(false)

  /// The role of delivering to the subscriber. Held from the beginning until the subscriber has its subscription.
  @usableFromInline final let role = DrainRole(isHeld: true)

  // Exclusive: each field is accessed only under the lock that its comment names, which is never held while unknown
  // code runs.

  // Protected by the lock, like the inlet's state, and accessed only in `withPassage` or `withLock`.
  @usableFromInline @exclusivity(unchecked) final var passage = Passage()

  /// The position of the branch in the broadcast's list. Protected by the broadcast's lock.
  @exclusivity(unchecked) final var position: UInt32 = 0

  /// The version of the newest value that was delivered while the gate was guarded. Protected by the lock until the
  /// gate is open, and constant from then on.
  @usableFromInline @exclusivity(unchecked) final var delivered = Version.none

  @usableFromInline
  init() { super.init() }

  @inlinable @inline(__always)
  final func withPassage<Result>(_ transition: (inout Passage, borrowing LockKey) -> Result) -> Result {
    withLock { transition(&passage, $1) }
  }

  @usableFromInline
  final func addDemand(_ more: Subscribers.Demand) { withPassage { passage, _ in passage.demand += more } }

  /// Creates a gate that is only the subscription of a branch.
  @usableFromInline
  init(isStale: Bool) {
    super.init(.broadcast)
    passage.isStale = isStale
  }

  /// Indicates whether values may be delivered without counting.
  @inlinable
  final var isOpen: Bool { openness.load(ordering: .acquiring) }

  /// Turns this into the subscription of a branch, unless it already is one or has been used as an inlet.
  @usableFromInline
  final func adopt(isStale: Bool) -> Bool {
    withLock { state in
      guard isWaiting, state.upstream == .unknown else { return false }
      state.upstream = .broadcast
      passage.isStale = isStale
      return true
    }
  }

  /// Stores the branch, unless this has been cancelled. One whose broadcast is over receives the kept values, and then
  /// the completion.
  final func install(_ branch: AnyBranch, hasRequested: Bool, isLate: Bool = false) -> Bool {
    withPassage { passage, key in
      if passage.phase == .over { return false }
      passage.branch = branch
      passage.hasRequested = hasRequested
      if isLate {
        passage.phase = .completing
        role.disturb(key)
      }
      return true
    }
  }

  /// Marks the subscriber as having its subscription. Returns false if something waits to be delivered, which the
  /// caller must then do.
  @usableFromInline
  final func begin() -> Bool {
    withPassage { passage, _ in
      guard !passage.isStale, role.endUndisturbed() else { return false }
      open(passage)
      return true
    }
  }

  /// Accepts a subscription. Once this has been adopted, the first one to arrive is the gate itself, from a source
  /// whose signals never overlap.
  @usableFromInline
  override final func connect(_ subscription: any Subscription) -> Bool {
    let isTaken = withLock { state in
      guard isWaiting, state.upstream == .broadcast else { return false }
      link.store(State.direct, ordering: .relaxed)
      return true
    }
    return isTaken || super.connect(subscription)
  }

  @usableFromInline
  override final func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    var isFirst = false
    var catchesUp = false
    var fetches = false
    var isAdopted = true
    let branch: AnyBranch? = withLock { state, key in
      isAdopted = state.upstream == .broadcast
      if passage.phase == .over || !isAdopted { return nil }
      passage.demand += demand
      isFirst = !passage.hasRequested
      passage.hasRequested = true
      if role.isHeld(key) {
        fetches = passage.isStale
      } else {
        catchesUp = passage.isStale
        if catchesUp { role.claim(key) }
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

  /// Opens the gate if there is nothing left to count or to wait for.
  @inlinable
  final func open(_ passage: Passage) {
    if passage.demand == .unlimited, !passage.isStale { openness.store(true, ordering: .releasing) }
  }

  @usableFromInline
  override func cancel() {
    let (link, branch) = withLock { (disconnect(&$0), close(&passage)) }
    link.subscription?.cancel()
    if let branch { branch.leave() }
    if link.isIdle { letGo() }
  }

  /// Ends the branch, and returns it the first time.
  @usableFromInline
  final func close() -> AnyBranch? { withPassage { passage, _ in close(&passage) } }

  private func close(_ passage: inout Passage) -> AnyBranch? {
    passage.phase = .over
    openness.store(false, ordering: .relaxed)
    return passage.branch.take()
  }
}
