/// Who listens to a broadcast, who comes and leaves, and whether anybody wants anything.
///
/// While somebody sends, the list stands still: those who come or leave meanwhile are entered or taken off when the
/// value has been delivered. So the sender walks through the list without the lock, and without a copy of it. Coming
/// and leaving cost a constant amount.
///
/// It is not generic; ``Broadcast`` adds the elements.
@usableFromInline @_fixed_layout
class Roster: Locked<Roster.State> {
  @usableFromInline
  struct State {
    /// Who came and left while somebody was sending.
    @usableFromInline var changes: [Change] = []

    /// The subscriptions of publishers that a subject is attached to.
    var upstreams: [any Subscription] = []

    /// Whether somebody is sending, or, after the completion, nobody may any more.
    @usableFromInline var isSending = false
    /// Whether the completion has been sent.
    @usableFromInline var isOver = false
    /// Whether the sender has more to do when it has delivered its value: signals are queued, or the list has changed.
    @usableFromInline var isDisturbed = false
    /// Whether everything has been sent, the completion too: there is no sender any more, though `isSending` stays.
    @usableFromInline var isIdle = false
    /// Whether the completion is being delivered, or has been: nobody is on the list any more.
    var isDissolved = false
    /// Whether upstream is asked for everything: somebody wants something, or the newest value is kept.
    var hasDemand: Bool
    /// How the role of the sender is handed on.
    @usableFromInline var handover = Handover()

    @usableFromInline
    init(hasDemand: Bool) { self.hasDemand = hasDemand }
  }

  @usableFromInline
  enum Change {
    case joins(AnyBranch)
    case leaves(AnyBranch)
    /// Has values waiting, which the sender is to deliver.
    case isBehind(AnyBranch)
  }

  // Exclusive: changed only under the lock, and only while nobody sends or by the sender between two values; so it stands still
  // while the sender walks through it without the lock, and calls subscribers.
  @usableFromInline @exclusivity(unchecked) final var list = BranchList()

  /// Whether subscribers get several values that were sent before.
  @usableFromInline final let keepsSeveral: Bool

  /// Makes a roster; one that asks at once does not wait until somebody wants something.
  @inlinable
  init(asksAtOnce: Bool, keepsSeveral: Bool = false) {
    self.keepsSeveral = keepsSeveral
    super.init(State(hasDemand: asksAtOnce))
  }

  deinit {
    // Nobody is on the list: branches retain it.
    for upstream in guardedState.upstreams { upstream.cancel() }
  }

  // MARK: Coming and leaving

  /// Enters a branch; returns false when the completion has been sent before.
  private func add(_ branch: AnyBranch) -> Bool {
    withLock { state in
      if state.isOver { return false }
      guard branch.gate.install(branch, hasRequested: state.hasDemand) else { return true }
      if state.isSending {
        state.changes.append(.joins(branch))
        state.isDisturbed = true
      } else {
        list.append(branch)
      }
      return true
    }
  }

  /// The gate for a subscriber: the one that it has, if that is free.
  @usableFromInline
  func gate(for inlet: SubscriberInlet?, isStale: Bool) -> Gate {
    if let gate = inlet?.gate, gate.adopt(isStale: isStale) { return gate }
    return Gate(isStale: isStale)
  }

  /// Enters a subscriber, and hands it its subscription, or the completion if that has been sent before.
  @usableFromInline
  func enter(_ branch: AnyBranch) {
    if add(branch) { return begin(branch) }
    let subscription = EndedSubscription()
    _ = branch.act(branch, .receive(subscription))
    if !subscription.isCancelled { _ = branch.act(branch, .receiveCompletion) }
  }

  /// The same where a subscriber gets values that are kept also when it comes after the completion.
  @usableFromInline
  func enterAlsoLate(_ branch: AnyBranch) {
    if !add(branch) { branch.gate.installLate(branch) }
    begin(branch)
  }

  private func begin(_ branch: AnyBranch) {
    _ = branch.act(branch, .receive(branch.gate))
    // The gate counts as being served until now, so that nothing overtakes the subscription.
    if !branch.gate.begin() { branch.catchUp(isSender: false) }
  }

  /// Takes a branch off the list.
  func remove(_ branch: AnyBranch) {
    withLock { state in
      if state.isDissolved { return }
      guard state.isSending else { return list.remove(branch) }
      if case .joins(let newest) = state.changes.last, newest === branch {
        // It came while the same value was being sent. The caller retains it: nothing is released here.
        state.changes.removeLast()
      } else {
        state.changes.append(.leaves(branch))
        state.isDisturbed = true
      }
    }
  }

  /// Does what was put off while somebody was sending, and returns it, to be released outside the lock; called by the
  /// sender, under the lock.
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

  /// Ends the role of the sender, which has nothing more to do; called by it, under the lock.
  @usableFromInline
  func stopSending(_ state: inout State) {
    state.isDisturbed = false
    state.isSending = state.isOver
    state.isIdle = state.isOver
    state.handover.end()
  }

  /// Has those catch up that were behind when the changes were made; called by the sender, outside the lock.
  @usableFromInline
  func catchUp(_ changes: [Change]) {
    for case .isBehind(let branch) in changes { branch.catchUp(isSender: true) }
  }

  /// Leaves it to the sender to have a branch catch up; returns false when nobody is sending.
  ///
  /// Until then the branch counts as being served, so that nothing overtakes what waits for it.
  @usableFromInline
  func leaveToSender(_ branch: AnyBranch) -> Bool {
    withLock { state in
      guard state.isSending, !state.isIdle else { return false }
      state.changes.append(.isBehind(branch))
      state.isDisturbed = true
      return true
    }
  }

  /// Ends the broadcast: nobody is on the list any more, and nothing upstream is needed. Called by the sender, under the lock.
  @usableFromInline
  func dissolve(_ state: inout State) -> (members: [AnyBranch], upstreams: [any Subscription]) {
    state.isDissolved = true
    defer { state.upstreams = [] }
    return (list.removeAll(), state.upstreams)
  }

  /// Whether the completion has been sent.
  var hasEnded: Bool { withLock { $0.isOver } }

  // MARK: Upstream

  /// Takes the subscription of a publisher that a subject is attached to, and asks for everything: at once, if the
  /// roster was made so, or when somebody wants something.
  @usableFromInline
  func attach(_ subscription: any Subscription) {
    let (isOver, isWanted) = withLock { state in
      if !state.isOver { state.upstreams.append(subscription) }
      return (state.isOver, state.hasDemand)
    }
    if isOver {
      subscription.cancel()
    } else if isWanted {
      subscription.request(.unlimited)
    }
  }

  /// Records that somebody wants something.
  func requested() {
    let upstreams: [any Subscription] = withLock { state in
      if state.hasDemand { return [] }
      state.hasDemand = true
      return state.upstreams
    }
    for upstream in upstreams { upstream.request(.unlimited) }
  }
}

/// Branches in the order in which they came, with gaps where some have left.
///
/// It is memory of its own, not an array, since the sender reads it without holding on to it, and it retains nobody: a
/// branch is retained by its gate, and while it is leaving by whoever takes it off.
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

  mutating func append(_ branch: AnyBranch) {
    if count == capacity { grow() }
    branch.gate.position = UInt32(count)
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

  /// Leaves a gap where a branch was.
  mutating func remove(_ branch: AnyBranch) {
    let position = Int(branch.gate.position)
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
      member._withUnsafeGuaranteedRef { $0.gate.position = UInt32(kept) }
      members![kept] = member
      kept += 1
    }
    count = kept
    gaps = 0
  }

  /// Empties the list, and returns who was on it, in order.
  mutating func removeAll() -> [AnyBranch] {
    defer {
      count = 0
      gaps = 0
    }
    return (0..<count).compactMap { members![$0]?.takeUnretainedValue() }
  }
}
