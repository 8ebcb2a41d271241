public import Synchronization

/// The subscription of one branch of a broadcast: the demand of its subscriber, and the state of deliveries to it.
///
/// A subscription is *open* when demand is unlimited and the subscriber has nothing to catch up with: the sender then
/// delivers without taking the lock. Otherwise it is *guarded*: deliveries are counted, and serialized between the
/// sender and a subscriber that catches up with the current value on its own thread.
///
/// The subscription is not generic and does not hold the subscriber. The branch does, and it is released at the end of
/// the stream.
///
/// A subscription is also a link, so that the subscriber of either `sink` method has a single object for both ends when
/// there are only operators that forward the subscription between it and a subject. A sink with another upstream uses
/// the ``CountedUpstreamLink`` only. Every subscriber of a subject has a subscription, so the order of its fields
/// leaves no padding.
@usableFromInline
class BroadcastSubscription: CountedUpstreamLink {
  @usableFromInline
  struct Delivery {
    @usableFromInline var demand = Subscribers.Demand.none
    @usableFromInline var branch: AnyBranch?
    @usableFromInline var phase = Phase.running
    /// Indicates whether there may be a current value that the subscriber has not received, or a kept value that is not
    /// yet in its backlog. True at first, if the broadcast replays; then the first look of the subscriber tells.
    @usableFromInline var isStale = false
    /// Indicates whether the broadcast knows that there is demand.
    @usableFromInline var hasRequested = false
    /// What is reported of a value that is dropped for lack of demand.
    @usableFromInline var mistake = Mistake.unready
  }

  /// What it means that a subject drops a value.
  @usableFromInline
  enum Mistake {
    /// Nothing: the subscriber is still receiving its subscription, and another thread has sent the value.
    case unready
    /// The subscriber has requested values. If it requests them itself, that is its decision; an operator may lack room.
    case none
    /// The subscriber has never requested a value.
    case missingRequest
    /// A loop is busy that requests each value when it awaits it.
    case busyLoop
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

  // Protected by the lock, like the link's state, and accessed only in `withDelivery` or `withLock`.
  @usableFromInline @exclusivity(unchecked) final var delivery = Delivery()

  /// The position of the branch in the broadcast's list. Protected by the broadcast's lock.
  @exclusivity(unchecked) final var position: UInt32 = 0

  /// The version of the newest value that was delivered while the subscription was guarded. Protected by the lock until
  /// the subscription is open, and constant from then on.
  @usableFromInline @exclusivity(unchecked) final var delivered = Version.none

  @usableFromInline
  init() { super.init() }

  @inlinable @inline(__always)
  final func withDelivery<Result>(_ transition: (inout Delivery, borrowing LockKey) -> Result) -> Result {
    withLock { transition(&delivery, $1) }
  }

  @usableFromInline
  final func addDemand(_ more: Subscribers.Demand) { withDelivery { delivery, _ in delivery.demand += more } }

  /// Creates a subscription that is only the subscription of a branch.
  @usableFromInline
  init(isStale: Bool) {
    super.init(.broadcast)
    delivery.isStale = isStale
  }

  /// Indicates whether values may be delivered without counting.
  @inlinable
  final var isOpen: Bool { openness.load(ordering: .acquiring) }

  /// Turns this into the subscription of a branch, unless it already is one or has been used as a link.
  @usableFromInline
  final func adopt(isStale: Bool) -> Bool {
    withLock { state in
      guard isWaiting, state.upstream == .unknown else { return false }
      state.upstream = .broadcast
      delivery.isStale = isStale
      return true
    }
  }

  /// Stores the branch, unless this has been cancelled. One whose broadcast is over receives the kept values, and then
  /// the completion.
  final func install(_ branch: AnyBranch, hasRequested: Bool, isLate: Bool = false) -> Bool {
    withDelivery { delivery, key in
      if delivery.phase == .over { return false }
      delivery.branch = branch
      delivery.hasRequested = hasRequested
      if isLate {
        delivery.phase = .completing
        role.disturb(key)
      }
      return true
    }
  }

  /// Marks the subscriber as having its subscription. Returns false if something waits to be delivered, which the
  /// caller must then do.
  @usableFromInline
  final func begin() -> Bool {
    withDelivery { delivery, _ in
      if delivery.mistake == .unready { delivery.mistake = .missingRequest }
      guard !delivery.isStale, role.endUndisturbed() else { return false }
      open(delivery)
      return true
    }
  }

  /// Accepts a subscription. Once this has been adopted, the first one to arrive is the subscription itself, from a
  /// source whose signals never overlap.
  @usableFromInline
  override final func connect(_ subscription: any Subscription) -> Bool {
    let isTaken = withLock { state in
      guard isWaiting, state.upstream == .broadcast else { return false }
      status.store(State.direct, ordering: .relaxed)
      return true
    }
    return isTaken || super.connect(subscription)
  }

  @usableFromInline
  override final func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    var isFirst = false
    var catchesUp = false
    var enqueuesMissed = false
    var isAdopted = true
    let branch: AnyBranch? = withLock { state, key in
      isAdopted = state.upstream == .broadcast
      if delivery.phase == .over || !isAdopted { return nil }
      delivery.demand += demand
      if delivery.mistake != .busyLoop { delivery.mistake = .none }
      isFirst = !delivery.hasRequested
      delivery.hasRequested = true
      if role.isHeld(key) {
        enqueuesMissed = delivery.isStale
      } else {
        catchesUp = delivery.isStale
        if catchesUp { role.claim(key) }
        open(delivery)
      }
      return isFirst || catchesUp || enqueuesMissed ? delivery.branch : nil
    }
    if !isAdopted { return super.request(demand) }
    guard let branch else { return }
    if isFirst { branch.recordDemand() }
    if enqueuesMissed { branch.enqueueMissed() }
    if catchesUp { branch.catchUp(isSender: false) }
  }

  /// Opens the subscription if there is nothing left to count or to wait for.
  @inlinable
  final func open(_ delivery: Delivery) {
    if delivery.demand == .unlimited, !delivery.isStale { openness.store(true, ordering: .releasing) }
  }

  @usableFromInline
  override func cancel() {
    let (status, branch) = withLock { (disconnect(&$0), close(&delivery)) }
    status.subscription?.cancel()
    if let branch { branch.leave() }
    if status.isIdle { releaseClosures() }
  }

  /// Handles that a value has been dropped because it was not requested. Called outside the lock.
  func valueDropped(for branch: AnyBranch, _ mistake: Mistake) { assert(noteDrop(for: branch, mistake)) }

  override func inspectContents(_ state: UpstreamLink.State, _ tell: StreamFact.Tell) { inspectBranch(state, tell) }

  /// Ends the branch, and returns it the first time.
  @usableFromInline
  final func close() -> AnyBranch? { withDelivery { delivery, _ in close(&delivery) } }

  private func close(_ delivery: inout Delivery) -> AnyBranch? {
    delivery.phase = .over
    openness.store(false, ordering: .relaxed)
    return delivery.branch.take()
  }
}
