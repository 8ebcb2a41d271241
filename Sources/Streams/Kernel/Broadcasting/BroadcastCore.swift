/// An engine that sends values to many subscribers. Used by subjects, `multicast`, `share` and `@Published`.
///
/// Its downstream is a ``BranchList``. So only one thread sends at a time, including the values that other threads leave to it.
/// Every subscriber receives the same values in the same order, and no thread waits. Subscribers that join or leave wait in the
/// same queue, behind the values sent before.
///
/// Each subscriber has a ``Branch``, which holds its waiting values. A value with nothing in its way isn't stored. It
/// passes through typed closures: see ``Broadcast``.
@usableFromInline
package final class BroadcastCore: Engine {
  /// Copies the element at one address to a second one. Without a second address, takes the element and sends it to all
  /// branches.
  @usableFromInline package typealias CopyOrSend =
    (BroadcastCore, UnsafeMutableRawPointer, UnsafeMutableRawPointer?) -> Void

  @usableFromInline package let replay: Replay
  /// The number of values to keep here and, beyond a branch's demand, in each branch.
  let limit: Int
  /// This closure captures nothing.
  let copyOrSend: CopyOrSend

  // Exclusive: accessed only under the lock.
  /// Indicates whether the broadcast requests unlimited demand from upstream, because there's demand or because it keeps
  /// values.
  @exclusivity(unchecked) var hasDemand: Bool
  @exclusivity(unchecked) private(set) var subscribers = 0
  /// The subscriptions to the publishers that the subject is attached to.
  @exclusivity(unchecked) private var upstreams: [any Subscription] = []
  /// The newest values. Their tags mean nothing.
  @exclusivity(unchecked) private var kept = ElementQueue()
  /// While a property's new value is being sent, the address of the previous value, in the sending caller's memory.
  @exclusivity(unchecked) private var previous: UnsafeMutableRawPointer?
  /// The changes that the sending thread has yet to make to the list. Each has an entry in the queue.
  @exclusivity(unchecked) private var changes = Ring<BranchChange>()
  /// Indicates whether the broadcast has had a subscriber while streams were observed.
  @exclusivity(unchecked) private var hasBeenObserved = false

  /// Indicates whether there was a subscriber while streams were observed, and all subscribers have left.
  @usableFromInline
  package var isAbandoned: Bool { withLock { hasBeenObserved && subscribers == 0 } }

  @usableFromInline
  package init(_ layout: ElementLayout, _ replay: Replay, _ limit: Int, _ copyOrSend: @escaping CopyOrSend) {
    self.replay = replay
    self.limit = limit
    self.copyOrSend = copyOrSend
    hasDemand = replay != .nothing
    let list = BranchList()
    super.init(list, layout, .isSource)
    list.broadcast = .passUnretained(self)
    // Unlimited, because each branch has its own demand.
    demand = .unlimited
    StreamObserver.noteMade(self)
  }

  deinit {
    StreamObserver.noteReleased(self)
    for upstream in upstreams { upstream.cancel() }
    kept.destroy(layout)
  }

  package override var name: String { "a subject" }

  /// Calls a closure with the list of branches. Only the thread with the turn may use the list, or any thread under the lock
  /// while none has the turn.
  @inline(__always)
  func withList(_ body: (BranchList) -> Void) {
    guard let receiver else { stopAtLateDelivery() }
    receiver._withUnsafeGuaranteedRef { body(unsafeDowncast($0, to: BranchList.self)) }
  }

  // MARK: Sending

  /// Sends a value, or enqueues it for the thread that's sending. Returns whether the value has been taken.
  @usableFromInline
  package func enqueue(_ element: UnsafeMutableRawPointer) -> Bool {
    var isAccepted = false
    let isTaken = react(to: element) { reaction, _ in
      isAccepted = true
      reaction.emit()
    }
    if !isAccepted { ignoreLateValue() }
    return isTaken
  }

  /// Keeps a value and takes the turn. If something is in the way, does neither and returns false.
  ///
  /// - Parameter isTaken: Set to true if the value has been taken from its address. If not, the value that it displaces has
  ///   been left there.
  @usableFromInline
  package func takeTurn(keeping element: UnsafeMutableRawPointer, _ isTaken: inout Bool) -> Bool {
    let found = lock()
    guard found == .free, phase == .running, !carriesContext else {
      unlock(found)
      return false
    }
    var displaced: Unmanaged<ContextSnapshot>?
    isTaken = keep(element, in: nil, &displaced)
    unlock(.turn)
    displaced?.release()
    return true
  }

  /// Keeps one copy of a value, and sends the other or enqueues it for the thread that's sending. Returns whether the other
  /// copy has been taken.
  @usableFromInline
  package func enqueue(
    _ element: UnsafeMutableRawPointer, keeping other: UnsafeMutableRawPointer, afterEnd: Bool,
    _ isOtherTaken: inout Bool
  ) -> Bool {
    var isAccepted = false
    var displaced: Unmanaged<ContextSnapshot>?
    let isTaken = react(to: element) { reaction, context in
      isAccepted = true
      reaction.emit()
      isOtherTaken = keep(other, in: context, &displaced)
    }
    if !isAccepted, afterEnd {
      withLock { isOtherTaken = keep(other, in: nil, &displaced) }
    } else if !isAccepted {
      ignoreLateValue()
    }
    displaced?.release()
    return isTaken
  }

  /// Sends a new value of a property, which keeps its previous value during the delivery. The previous value is left at the
  /// other copy's address. Returns whether the new value has been taken.
  @usableFromInline
  package func sendBeforeChange(
    _ element: UnsafeMutableRawPointer, keeping other: UnsafeMutableRawPointer, _ isOtherTaken: inout Bool
  ) -> Bool {
    var displaced: Unmanaged<ContextSnapshot>?
    let isTaken = react(to: element) { reaction, context in
      let isSentNow = reaction.canPass
      reaction.emit()
      isOtherTaken = keep(other, in: context, &displaced)
      previous = isSentNow ? other : nil
    }
    // Another thread may already be sending its own value.
    withLock { if previous == other { previous = nil } }
    displaced?.release()
    return isTaken
  }

  /// Makes a transition for a value. Calls the closure only while the stream is running. Returns whether the value has been
  /// taken.
  @inline(__always)
  private func react(
    to element: UnsafeMutableRawPointer, _ change: (inout Reaction, Unmanaged<ContextSnapshot>?) -> Void
  ) -> Bool {
    let captured = carriesContext ? captureContext() : nil
    let context = captured.map { Unmanaged.passUnretained($0) }
    let found = lock()
    var reaction = Reaction(self, found, element, canPass: canPass(found), in: context)
    if phase == .running { change(&reaction, context) }
    let isTaken = commit(reaction)
    extendLifetime(captured)
    return isTaken
  }

  /// Keeps a value. Returns whether it has been taken from its address. If not, the value that it displaces has been
  /// left there. Called under the lock.
  func keep(
    _ element: UnsafeMutableRawPointer, in context: Unmanaged<ContextSnapshot>?,
    _ displaced: inout Unmanaged<ContextSnapshot>?
  ) -> Bool {
    if kept.count == limit {
      if limit > 0 { displaced = kept.pushOutFirst(with: element, context, size) }
      return false
    }
    kept.append(element, tag: 0, context, size)
    return true
  }

  /// Takes and keeps the value that the broadcast is created with.
  @usableFromInline
  package func keepFirst(_ element: UnsafeMutableRawPointer) -> Bool {
    kept.append(element, tag: 0, nil, size)
    return true
  }

  /// Sends a value that has waited, or makes a change to the list.
  override func sendQueued(_ element: UnsafeMutableRawPointer, tag: Int) -> Subscribers.Demand {
    guard tag == ElementQueue.Header.noElement else { return send(element) }
    var change: BranchChange?
    withLock { change = changes.popFirst() }
    switch change {
    case .joins(let branch): withList { $0.append(branch) }
    case .leaves(let branch):
      withList { $0.remove(branch) }
      branch.takeTurnBack()
    case nil: assertionFailure("a change of a list waits, but isn't there")
    }
    return .none
  }

  @usableFromInline
  package func end(_ error: (any Error)?) {
    transition(.completion) { $0.finish(error.map { .failure($0) } ?? .finished) }
  }

  /// Tells the observer that a value was sent before the first subscriber came, if the value isn't kept and streams are
  /// observed.
  @usableFromInline @inline(never)
  package func noteLostValue() {
    if replay == .nothing { StreamObserver.current?.lost(self) }
  }

  // MARK: Subscribing

  /// Attaches a receiver, whose subscription retains the broadcast's owner or, without one, the broadcast itself.
  @usableFromInline
  package func attach(_ receiver: Receiver, of owner: AnyObject?) {
    let branch =
      RuntimeFeatures.isAny
      ? makeBranchWithRuntimeFeatures(receiver, of: owner) : Branch(receiver, of: self, owner ?? self)
    add(branch)
    receiver.receiveEvent(receiver, .subscription(.passUnretained(branch)))
    branch.deliverFirst()
  }

  private func makeBranchWithRuntimeFeatures(_ receiver: Receiver, of owner: AnyObject?) -> Branch {
    // The first kind of context may have been registered since this was created.
    if RuntimeFeatures.includes(.contexts) { carryContexts() }
    guard RuntimeFeatures.includes(.observed) else { return Branch(receiver, of: self, owner ?? self) }
    withLock { hasBeenObserved = true }
    let branch = Branch(receiver.counted(), of: self, owner ?? self)
    if hasEnded { StreamObserver.current?.late(receiver) }
    return branch
  }

  /// Adds a branch, right away or once the values that already wait have been sent. After the end, the branch receives the kept
  /// values, if `replay` is `several`, and the completion.
  private func add(_ branch: Branch) {
    let found = lock()
    if phase == .running || replay == .several {
      branch.isDemandRecorded = hasDemand
      if !kept.isEmpty { copyKept(to: branch) }
    }
    if phase == .running {
      subscribers &+= 1
      if found == .free { withList { $0.append(branch) } } else { enqueueChange(.joins(branch)) }
    } else {
      branch.phase = .finishing
      branch.failure = failure
    }
    unlock(found.afterTransition(takingTurn: false))
  }

  private func copyKept(to branch: Branch) {
    withUnsafeTemporaryAllocation(byteCount: size.bytes, alignment: 16) { place in
      let copy = place.baseAddress.unsafelyUnwrapped
      for offset in 0..<kept.count {
        copyOrSend(self, kept.element(offset, size), copy)
        branch.queue.append(copy, tag: 0, kept.header(offset, size).context, size)
      }
    }
    branch.ready = branch.queue.count
  }

  /// Removes a branch, right away or once the values that already wait have been sent.
  func remove(_ branch: Branch) {
    var newest: BranchChange?
    let found = lock()
    if phase == .running {
      subscribers &-= 1
      if found == .free {
        withList { $0.remove(branch) }
      } else if !queue.isEmpty, queue.header(queue.count &- 1, size).tag == ElementQueue.Header.noElement,
        case .joins(let joined) = changes[changes.count &- 1], joined === branch
      {
        // The branch joined during the same delivery, and hasn't been added yet.
        newest = changes.popLast()
        queue.count &-= 1
        ready &-= 1
      } else {
        enqueueChange(.leaves(branch))
      }
    }
    unlock(found.afterTransition(takingTurn: false))
    if newest != nil || found == .free { branch.takeTurnBack() }
    extendLifetime(newest)
  }

  /// Enqueues a change to the list for the thread that's sending. Called under the lock.
  private func enqueueChange(_ change: BranchChange) {
    changes.append(change)
    queue.appendNoElement(size)
    ready &+= 1
  }

  // MARK: Upstream

  /// Stores the subscription to a publisher that the subject is attached to. Requests unlimited demand if there's demand or the
  /// broadcast keeps values.
  @usableFromInline
  package func addUpstream(_ subscription: any Subscription) {
    // Subscriptions that have ended are removed. Otherwise, each connection would leave one behind.
    let (isOver, isWanted, _) = withLock {
      if phase != .running { return (true, false, []) }
      let ended = upstreams.append(subscription) { ($0 as? SubjectLink)?.isForwarding == false }
      return (false, hasDemand, ended)
    }
    if isOver {
      subscription.cancel()
    } else if isWanted {
      subscription.request(.unlimited)
    }
  }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    if hasDemand { return }
    hasDemand = true
    for upstream in upstreams { reaction.request(.unlimited, from: upstream._object.object) }
  }

  package override func cancelSources(_ reaction: inout Reaction) {
    for upstream in upstreams { reaction.cancel(upstream._object.object) }
    upstreams = []
    subscribers = 0
  }

  // MARK: What is kept

  /// Copies the newest value of a broadcast that replays it to an address. While a property's new value is being sent, copies
  /// the previous one.
  @usableFromInline
  package func copyNewest(ofProperty: Bool, to address: UnsafeMutableRawPointer) {
    withLock { copyOrSend(self, ofProperty ? previous ?? kept.element(0, size) : kept.element(0, size), address) }
  }

  // MARK: Inspection

  override func inspect(_ tell: StreamFact.Tell) {
    let found = lock()
    // The list isn't read, because a thread that sends may be changing it.
    tell(.subscribers, subscribers, nil)
    if hasDemand { tell(.requested, 0, nil) }
    if replay == .newestOfProperty { tell(.published, 0, nil) }
    if phase != .running { tell(.over, 0, nil) } else if found.hasTurn { tell(.delivering, 0, nil) }
    for upstream in upstreams.prefix(StreamFact.maxReportedSources) {
      tell(.upstream, 0, upstream as AnyObject)
    }
    unlock(found)
  }

  override func reportWaiting() {
    StreamWarnings.reportWaiting(in: "a subject or a shared publisher", for: "subscribers that receive \(layout.type)")
  }
}

/// The earlier values that new subscribers of a broadcast receive.
@usableFromInline
package enum Replay {
  case nothing
  case newest
  /// The newest value of a property, which keeps its previous value while a new one is being sent.
  case newestOfProperty
  /// Several values, even after the end.
  case several
}

enum BranchChange {
  case joins(Branch)
  case leaves(Branch)
}
