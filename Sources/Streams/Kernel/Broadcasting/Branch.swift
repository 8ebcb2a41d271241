/// One subscriber of a broadcast: an engine whose only source is the broadcast. It's the subscription that the subscriber
/// receives.
///
/// While demand is unlimited and nothing waits, the branch lends its turn to the thread that sends (``Engine/Word/lent``), which
/// then delivers without taking the branch's lock.
///
/// The branch decides which of the broadcast's values wait for the subscriber: the requested ones, and as many of the newest
/// ones as the broadcast keeps.
@usableFromInline
package final class Branch: Engine {
  // Exclusive: accessed by the thread with the broadcast's turn, or under the broadcast's lock while no thread has the turn.
  /// The position in the broadcast's list.
  @exclusivity(unchecked) var position: UInt32 = 0

  // Exclusive: accessed only under the lock.
  /// Indicates whether the broadcast knows that this branch has demand.
  @exclusivity(unchecked) var isDemandRecorded = false
  @exclusivity(unchecked) private var hasRequestedValues = false
  /// Indicates whether the subscriber has received its subscription.
  @exclusivity(unchecked) private var hasBegun = false
  private let broadcast: Unmanaged<BroadcastCore>
  /// The object that keeps the broadcast alive until the branch leaves it: the subject, because callbacks often capture the
  /// subject weakly, or else the broadcast itself.
  @exclusivity(unchecked) private var owner: AnyObject?

  /// Creates a branch that delivers nothing until ``deliverFirst()`` is called.
  init(_ receiver: consuming Receiver, of broadcast: BroadcastCore, _ owner: consuming AnyObject) {
    self.broadcast = .passUnretained(broadcast)
    self.owner = consume owner
    super.init(consume receiver, broadcast.layout, [.isSource, .lendsTurn])
  }

  /// Sends the waiting signals. Called when the subscriber has received its subscription.
  func deliverFirst() {
    lockWithTurn()
    hasBegun = true
    if hasWork(false) { deliverReady() } else { unlock(restingWord) }
  }

  package override var name: String { "a subject" }

  // MARK: The subscription

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    hasRequestedValues = true
    if isDemandRecorded { return }
    isDemandRecorded = true
    if owner != nil { reaction.request(.unlimited, from: broadcast.takeUnretainedValue()) }
  }

  package override func leave() {
    let found = lock(expecting: .lent)
    let owner = owner.take()
    phase = .over
    // If the turn is lent, the thread that sends releases the subscriber.
    if found == .lent { unlock(found.with(.dirty)) } else { conclude(found) }
    if owner != nil { broadcast._withUnsafeGuaranteedRef { $0.remove(self) } }
    extendLifetime(owner)
  }

  package override func cancelSources(_ reaction: inout Reaction) { reaction.release(owner.take()) }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    let keepsAfterEnd = broadcast._withUnsafeGuaranteedRef { $0.replay == .several }
    if keepsAfterEnd { reaction.finish(completion) } else { reaction.endEarly(with: completion) }
  }

  // MARK: What the thread that sends calls

  /// Delivers a value, enqueues it until there's demand, or drops it if nothing may be enqueued. Returns whether the value has
  /// been taken from its address.
  @usableFromInline
  package func receiveGuarded(_ element: UnsafeMutableRawPointer) -> Bool {
    let context = carriesContext ? captureContext() : nil
    let found = lockAsSender()
    var reaction = Reaction(
      self, found, element, canPass: canPass(found), in: context.map { .passUnretained($0) })
    let isDropped = phase == .running && !accepts(&reaction)
    let isTaken = commit(reaction)
    if isDropped { noteDrop() }
    extendLifetime(context)
    return isTaken
  }

  /// Sends a value or enqueues it. Returns false if the value is to be dropped.
  private func accepts(_ reaction: inout Reaction) -> Bool {
    let waiting = reaction.waiting
    guard let requested = reaction.demand.max, waiting >= requested else {
      reaction.emit()
      return true
    }
    // The broadcast is alive, because it's sending the value.
    let limit = broadcast._withUnsafeGuaranteedRef { $0.limit }
    if limit == 0 { return false }
    reaction.enqueue(replacing: waiting &- requested >= limit ? requested : nil)
    return true
  }

  /// Takes back the turn from the thread that sends, because the branch is no longer on the list.
  func takeTurnBack() {
    let found = lockAsSender(expecting: Word.lent.with(.dirty))
    // In the usual case, does directly what a delivery would do, which saves a tenth of the cost of subscribing and cancelling.
    if found == .free, phase == .over { releaseAll() } else { conclude(found) }
  }

  // MARK: Reports

  @inline(never)
  private func noteDrop() {
    // If the subscriber is still receiving its subscription, another thread sent the value, which isn't a mistake.
    let (receiver, hasRequested) = withLock {
      (hasBegun ? self.receiver?.takeUnretainedValue() : nil, hasRequestedValues)
    }
    guard let receiver else { return }
    if let link = receiver.link {
      link.valueDropped(hasRequested: hasRequested, for: receiver.inspected)
    } else {
      assert(noteDroppedValue(hasRequested: hasRequested, for: receiver.inspected))
    }
  }

  override func reportWaiting() {}

  override func inspect(_ tell: StreamFact.Tell) {
    let found = lock()
    tell(.demand, Int(bitPattern: demand.rawValue), nil)
    if hasRequestedValues { tell(.requested, 0, nil) }
    let wanted = demand.max.map { Swift.min($0, queue.count) } ?? queue.count
    if wanted < queue.count { tell(.stale, 0, nil) }
    if phase != .running { tell(phase == .over ? .over : .finishing, 0, nil) }
    tell(.waiting, wanted, nil)
    tell(.capacity, queue.capacity, nil)
    if let receiver = receiver?.takeUnretainedValue() {
      tell(.senderType, unsafeBitCast(type(of: receiver.origin), to: Int.self), nil)
      tell(.subscriber, 0, StreamFact.Box(receiver.inspected))
      if let count = receiver.sentCount { tell(.sent, count, nil) }
    }
    if let owner {
      tell(.owner, 0, owner)
      tell(.upstream, 0, broadcast.takeUnretainedValue())
    }
    unlock(found)
  }
}

/// The branches of a broadcast in the order in which they joined, with gaps where some have left.
///
/// The list is used only by the thread with the broadcast's turn, or under the broadcast's lock while no thread has the turn.
/// It owns raw memory instead of an array, so the sender can read it without retaining the storage. It retains its members.
@usableFromInline @_fixed_layout
package final class BranchList: Receiver {
  @usableFromInline package typealias Member = Unmanaged<Branch>

  // Exclusive: accessed according to the rule in the class's comment.
  @usableFromInline @exclusivity(unchecked) package var members: UnsafeMutablePointer<Member?>?
  @usableFromInline @exclusivity(unchecked) package var count = 0
  @exclusivity(unchecked) private var capacity = 0
  @exclusivity(unchecked) private(set) var gaps = 0
  /// The broadcast, which holds the list.
  @exclusivity(unchecked) var broadcast: Unmanaged<BroadcastCore>?

  init() {
    super.init(
      receiveElement: {
        let element = $1
        unsafeDowncast($0, to: BranchList.self).broadcast?._withUnsafeGuaranteedRef {
          $0.copyOrSend($0, element, nil)
        }
        return .none
      },
      receiveEvent: {
        if case .completion(let completion) = $1 { unsafeDowncast($0, to: BranchList.self).complete(completion) }
      })
  }

  deinit {
    for position in 0..<count { members![position]?.release() }
    members?.deallocate()
  }

  /// Appends a branch.
  ///
  /// - Complexity: Amortized O(1).
  func append(_ branch: Branch) {
    if count == capacity { grow() }
    branch.position = UInt32(count)
    members![count] = .passRetained(branch)
    count += 1
  }

  private func grow() {
    let larger = UnsafeMutablePointer<Member?>.allocate(capacity: Swift.max(1, capacity * 2))
    if let members {
      larger.moveInitialize(from: members, count: count)
      members.deallocate()
    }
    members = larger
    capacity = Swift.max(1, capacity * 2)
  }

  /// Removes a branch, leaving a gap at its position unless it's the last one.
  ///
  /// - Complexity: Amortized O(1): gaps are closed when they make up more than half of the positions.
  func remove(_ branch: Branch) {
    let position = Int(branch.position)
    members![position]!.release()
    members![position] = nil
    gaps += 1
    while count > 0, members![count - 1] == nil {
      count -= 1
      gaps -= 1
    }
    if gaps > 8, gaps * 2 > count {
      closeGaps()
    }
  }

  private func closeGaps() {
    var kept = 0
    for position in 0..<count {
      guard let member = members![position] else { continue }
      member._withUnsafeGuaranteedRef { $0.position = UInt32(kept) }
      members![kept] = member
      kept += 1
    }
    count = kept
    gaps = 0
  }

  /// Ends all branches.
  ///
  /// - Complexity: O(*n*), where *n* is the number of positions in the list.
  private func complete(_ completion: Subscribers.Completion<any Error>) {
    for position in 0..<count {
      guard let member = members![position] else { continue }
      members![position] = nil
      let branch = member.takeRetainedValue()
      branch.transition(.completion) { branch.sourceEnded(0, completion, &$0) }
    }
  }
}
