/// The subscribers of a broadcast, those that join and leave, and whether there is demand.
///
/// While a thread is sending, the list does not change: subscribers that join or leave meanwhile are added or removed
/// after the value has been delivered. The sender can therefore traverse the list without the lock and without a copy.
/// Joining and leaving take constant time.
///
/// The subscriber list is not generic; ``Broadcast`` adds the elements. If both locks are needed, that of the broadcast
/// is taken before that of a ``BroadcastSubscription``, never the other way round.
@usableFromInline @_fixed_layout
class SubscriberList: Locked<SubscriberList.State> {
  @usableFromInline
  struct State {
    /// The subscribers that joined and left while a thread was sending.
    @usableFromInline var changes: [Change] = []

    /// The subscriptions of publishers that a subject is attached to.
    var upstreams: [any Subscription] = []

    @usableFromInline var phase = Phase.running

    /// Indicates whether unlimited demand is requested from upstream, because there is demand or because the newest
    /// value is kept.
    var hasDemand: Bool
    /// The state of handing the role to another thread.
    @usableFromInline var handover = Handover()
  }

  /// The phases of a broadcast, in order.
  @usableFromInline
  enum Phase: Comparable {
    case running
    /// The completion has been sent: it is the last signal.
    case ending
    /// The completion is being or has been delivered, so that the list is empty.
    case dissolved
    /// Everything has been sent. The role of sending stays held, so that none can send any more.
    case over
  }

  /// What subscribers receive of the values that were sent before they joined.
  @usableFromInline
  enum Replay {
    case nothing
    /// The newest value, once they request.
    case newest
    /// Like `newest`, and the broadcast also keeps the newest value that every subscriber has received.
    case newestAndDelivered
    /// Several values, even after the end.
    case several
  }

  @usableFromInline
  enum Change {
    case joins(AnyBranch)
    case leaves(AnyBranch)
    /// The branch has waiting values, which the sender must deliver.
    case isBehind(AnyBranch)
  }

  // Exclusive: changed only under the lock, and only while no thread is sending or by the sender between two values. It
  // is therefore constant while the sender traverses it without the lock and calls subscribers.
  @usableFromInline @exclusivity(unchecked) final var list = BranchList()

  /// The role of sending.
  @usableFromInline final let role = DrainRole()

  @usableFromInline final let replay: Replay

  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  /// The contexts of the values that wait or are kept, if contexts are carried.
  @usableFromInline @exclusivity(unchecked) final var contexts: BroadcastContexts?

  /// Creates a subscriber list. One that replays requests from upstream without waiting for demand, because it could
  /// not otherwise know what to replay.
  @usableFromInline
  init(_ replay: Replay) {
    self.replay = replay
    contexts = ContextCarrier.isAny ? BroadcastContexts() : nil
    super.init(State(hasDemand: replay != .nothing))
    if StreamExtras.includes(.observed) { StreamObserver.current?.made(self) }
  }

  deinit {
    if StreamExtras.includes(.observed) { StreamObserver.current?.released(self) }
    // The list is empty: branches retain the subscriber list.
    for upstream in guardedState.upstreams { upstream.cancel() }
  }

  // MARK: Joining and leaving

  /// Adds a branch to the list. Returns false if the completion has been sent before.
  private func add(_ branch: AnyBranch) -> Bool {
    withLock { state, key in
      if state.phase != .running { return false }
      guard branch.subscription.install(branch, hasRequested: state.hasDemand) else { return true }
      if role.disturb(key) { state.changes.append(.joins(branch)) } else { list.append(branch) }
      return true
    }
  }

  /// Returns the subscription for a subscriber: its own, if that is free, or a new one.
  ///
  /// Never inlined: clients would otherwise contain it once for each chain.
  @usableFromInline @inline(never)
  func subscription(for link: SubscriberLink?) -> BroadcastSubscription {
    let isStale = replay != .nothing
    if let subscription = link?.subscription, subscription.adopt(isStale: isStale) { return subscription }
    return BroadcastSubscription(isStale: isStale)
  }

  /// Adds a subscriber and sends it its subscription; after the end, also the values that are kept, and the completion.
  @usableFromInline
  func enter(_ branch: AnyBranch) {
    if StreamExtras.isAny { prepare(branch) }
    if !add(branch) {
      _ = branch.subscription.install(branch, hasRequested: true, isLate: true)
      if StreamExtras.includes(.observed) { observeLate(branch) }
    }
    _ = branch.act(branch, .receiveSubscription)
    // A delivery counts as in progress until here, so that nothing overtakes the subscription.
    if !branch.subscription.begin() { branch.catchUp(isSender: false) }
  }

  /// Does for a branch that is about to be added what streams do in addition.
  @inline(never)
  private func prepare(_ branch: AnyBranch) {
    if StreamExtras.includes(.contexts) {
      // The first kind of context may have been registered since this was created.
      withLock { _, _ in contexts = contexts ?? BroadcastContexts() }
    }
    if StreamExtras.includes(.observed) { _ = branch.act(branch, .count) }
  }

  @inline(never)
  private func observeLate(_ branch: AnyBranch) { StreamObserver.current?.late(branch) }

  /// Removes a branch from the list.
  func remove(_ branch: AnyBranch) {
    withLock { state, key in
      if state.phase >= .dissolved { return }
      guard role.disturb(key) else { return list.remove(branch) }
      if case .joins(let newest) = state.changes.last, newest === branch {
        // The branch joined while the same value was being sent. The caller retains it, so nothing is released here.
        state.changes.removeLast()
      } else {
        state.changes.append(.leaves(branch))
      }
    }
  }

  /// Applies the changes that were deferred while a thread was sending, and returns them, to be released outside the
  /// lock. Called by the sender.
  @usableFromInline
  func applyChanges(_ state: inout State) -> [Change] {
    for change in state.changes {
      switch change {
      case .joins(let branch): list.append(branch)
      case .leaves(let branch): list.remove(branch)
      case .isBehind: break
      }
    }
    defer { state.changes = [] }
    return state.changes
  }

  /// Ends the sender's role, because it has nothing more to do. Called by the sender.
  @usableFromInline
  func stopSending(_ state: inout State, _ key: borrowing LockKey) {
    if state.phase == .running { role.end(key) } else { state.phase = .over }
    state.handover.end()
  }

  /// Lets those branches catch up that had values waiting when the changes were applied. Called by the sender, outside
  /// the lock.
  @usableFromInline
  func catchUp(_ changes: [Change]) {
    for case .isBehind(let branch) in changes { branch.catchUp(isSender: true) }
  }

  /// Leaves the waiting values of a branch to the sender. Returns false if no thread is sending.
  ///
  /// Until the sender delivers them, a delivery to the branch counts as in progress, so that nothing overtakes its
  /// values.
  @usableFromInline
  func leaveToSender(_ branch: AnyBranch) -> Bool {
    withLock { state, key in
      guard state.phase != .over, role.disturb(key) else { return false }
      state.changes.append(.isBehind(branch))
      return true
    }
  }

  /// Ends the broadcast: empties the list and gives up the upstream subscriptions. Called by the sender.
  @usableFromInline
  func dissolve(_ state: inout State) -> (members: [AnyBranch], upstreams: [any Subscription]) {
    state.phase = .dissolved
    defer { state.upstreams = [] }
    return (list.removeAll(), state.upstreams)
  }

  /// Delivers the completion to branches, under the context in which it was sent if that is carried.
  @usableFromInline
  func complete(_ branches: [AnyBranch], in context: ContextSnapshot?) {
    ContextSnapshot.run(context) { for branch in branches { branch.complete() } }
  }

  /// The context of the caller, if contexts are carried here.
  @usableFromInline
  func carriedContext() -> ContextSnapshot? { withLock { _, _ in contexts != nil } ? .captured() : nil }

  /// The context of the newest value that is kept, which that of the next is likely to be.
  @usableFromInline
  var newestContext: ContextSnapshot? { withLock { _, _ in contexts?.context(ofKept: 0) } }

  /// Indicates whether the completion has been sent.
  var hasEnded: Bool { withLock { $0.phase != .running } }

  // MARK: Upstream

  /// Stores the subscription of a publisher that a subject is attached to, and requests unlimited demand: at once, if
  /// the subscriber list was created to, or when there is demand.
  @usableFromInline
  func attach(_ subscription: any Subscription) {
    // Those of publishers that have been detached or have finished are removed, or else each connection would leave
    // one.
    let (isOver, isWanted, _) = withLock { state in
      if state.phase != .running { return (true, false, []) }
      let ended = state.upstreams.append(subscription) { ($0 as? SubjectLink)?.isForwarding == false }
      return (false, state.hasDemand, ended)
    }
    if isOver {
      subscription.cancel()
    } else if isWanted {
      subscription.request(.unlimited)
    }
  }

  /// Records that there is demand.
  func recordDemand() {
    let upstreams: [any Subscription] = withLock { state in
      if state.hasDemand { return [] }
      state.hasDemand = true
      return state.upstreams
    }
    for upstream in upstreams { upstream.request(.unlimited) }
  }
}

extension SubscriberList {
  /// Branches in the order in which they joined, with gaps where some have left.
  ///
  /// The list owns raw memory instead of an array, because the sender reads it without retaining it. It does not retain
  /// its members: a branch is retained by its subscription, and while it is leaving, by the code that removes it.
  @usableFromInline
  struct BranchList: ~Copyable {
    @usableFromInline var members: UnsafeMutablePointer<Unmanaged<AnyBranch>?>?
    @usableFromInline var count = 0
    private var capacity = 0
    private(set) var gaps = 0

    @usableFromInline
    init() {}

    @usableFromInline
    deinit { members?.deallocate() }

    /// Appends a branch.
    ///
    /// - Complexity: Amortized O(1); O(*n*) when the memory grows.
    mutating func append(_ branch: AnyBranch) {
      if count == capacity { grow() }
      branch.subscription.position = UInt32(count)
      members![count] = .passUnretained(branch)
      count += 1
    }

    private mutating func grow() {
      let larger = UnsafeMutablePointer<Unmanaged<AnyBranch>?>.allocate(capacity: Swift.max(1, capacity * 2))
      if let members {
        larger.moveInitialize(from: members, count: count)
        members.deallocate()
      }
      members = larger
      capacity = Swift.max(1, capacity * 2)
    }

    /// Removes a branch, and leaves a gap in its position. Does nothing if the branch is not on the list.
    ///
    /// - Complexity: Amortized O(1); O(*n*) when more than half of the positions are gaps, which are then closed.
    mutating func remove(_ branch: AnyBranch) {
      let position = Int(branch.subscription.position)
      let opaque = Unmanaged.passUnretained(branch).toOpaque()
      guard position < count, members![position]?.toOpaque() == opaque else { return }
      members![position] = nil
      gaps += 1
      if position == count - 1 {
        count -= 1
        gaps -= 1
      } else if gaps > 8, gaps * 2 > count {
        closeGaps()
      }
    }

    private mutating func closeGaps() {
      var kept = 0
      for position in 0..<count {
        guard let member = members![position] else { continue }
        member._withUnsafeGuaranteedRef { $0.subscription.position = UInt32(kept) }
        members![kept] = member
        kept += 1
      }
      count = kept
      gaps = 0
    }

    /// Removes all branches, and returns them in order.
    ///
    /// - Complexity: O(*n*), where *n* is the number of positions in the list.
    mutating func removeAll() -> [AnyBranch] {
      defer {
        count = 0
        gaps = 0
      }
      return (0..<count).compactMap { members![$0]?.takeUnretainedValue() }
    }
  }
}
