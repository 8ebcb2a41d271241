/// One subscriber of a broadcast: an engine whose only source is the broadcast. It is the subscription of the subscriber.
///
/// While demand is unlimited and nothing waits, the branch lends its turn to the thread that sends (``Gate/Word/lent``), which
/// then delivers without taking the branch's lock.
@usableFromInline @_fixed_layout
package final class Branch<Output, Failure: Error>: Engine<BranchMachine<Output, Failure>> {
  // Exclusive: accessed by the thread with the broadcast's turn, or under its lock while no thread has the turn.
  /// The position in the broadcast's list.
  @usableFromInline @exclusivity(unchecked) package var position: UInt32 = 0

  /// Creates a branch that is held back until ``deliverFirst()``.
  @inlinable
  package init(
    _ receiver: consuming Receiver<Output, Failure>, of broadcast: Broadcast<Output, Failure>,
    _ owner: consuming AnyObject
  ) {
    super.init(BranchMachine(.passUnretained(broadcast), consume owner), consume receiver, nil)
  }

  /// Takes over what a broadcast keeps. Called under its lock, before the branch has joined.
  @inlinable @inline(__always)
  package func replay(_ machine: borrowing FanoutMachine<Output, Failure>) {
    self.machine.isDemandRecorded = machine.hasDemand
    if !machine.kept.isEmpty { copyKept(from: machine) }
  }

  @inlinable @inline(never) @_optimize(size)
  package func copyKept(from machine: borrowing FanoutMachine<Output, Failure>) {
    for offset in 0..<machine.kept.count { queue.append(machine.kept[offset]) }
    ready = queue.count
  }

  /// Sends the subscriber what waits for it, when it has its subscription.
  @inlinable @inline(__always)
  package func deliverFirst() {
    lockWithTurn()
    machine.hasBegun = true
    if hasWork(false) { handle(self, .deliver) } else { unlock(restingWord) }
  }

  // MARK: The subscription

  @inlinable @inline(never)
  package func leaveBroadcast() {
    let found = lock(expecting: .lent)
    let owner = machine.owner.take()
    let broadcast = machine.broadcast
    phase = .over
    // If the turn is lent, the thread that sends releases the subscriber.
    if found == .lent { unlock(found.with(.dirty)) } else { conclude(found) }
    if owner != nil { broadcast._withUnsafeGuaranteedRef { $0.remove(self) } }
    extendLifetime(owner)
  }

  // MARK: What the thread that sends calls

  /// Delivers a value, or leaves it for later.
  @inlinable @inline(__always)
  package func receive(_ value: Output) {
    if isLent { _ = send(value) } else { receiveGuarded(value) }
  }

  @inlinable @inline(never)
  package func receiveGuarded(_ value: Output) {
    var isDropped = false
    react(to: .element) { isDropped = !$0.accepts(value, &$1) }
    if isDropped { noteDrop() }
  }

  /// Takes back the turn from the thread that sends, because the branch is not on the list any more.
  @inlinable
  package func takeTurnBack() {
    let found = lockAsSender(expecting: Word.lent.with(.dirty))
    // The usual case goes straight to what a delivery would do: a tenth of the cost of subscribing and cancelling.
    if found == .free, phase == .over { releaseAll() } else { conclude(found) }
  }

  // MARK: Reports

  @usableFromInline @inline(never)
  package func noteDrop() {
    // If it is still receiving its subscription, another thread has sent the value. That is no mistake.
    let (receiver, hasRequested) = withLock {
      (machine.hasBegun ? self.receiver?.takeUnretainedValue() : nil, machine.hasRequestedValues)
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
    if machine.hasRequestedValues { tell(.requested, 0, nil) }
    let wanted = demand.max.map { Swift.min($0, queue.count) } ?? queue.count
    if wanted < queue.count { tell(.stale, 0, nil) }
    if phase != .running { tell(phase == .over ? .over : .finishing, 0, nil) }
    tell(.waiting, wanted, nil)
    tell(.capacity, queue.capacity, nil)
    if let receiver = receiver?.takeUnretainedValue() {
      tell(.senderType, unsafeBitCast(type(of: receiver.origin), to: Int.self), nil)
      tell(.subscriber, 0, StreamFact.Box(receiver.inspected))
      if let counter = receiver as? CountingReceiver<Output, Failure> { tell(.sent, counter.count, nil) }
    }
    if let owner = machine.owner {
      tell(.owner, 0, owner)
      tell(.upstream, 0, machine.broadcast.takeUnretainedValue())
    }
    unlock(found)
  }
}

/// Decides which values of a broadcast wait for a subscriber: those that are requested, and as many of the newest ones as
/// the broadcast keeps.
@usableFromInline @frozen
package struct BranchMachine<Output, Failure: Error>: SourcelessMachine {
  @usableFromInline package let broadcast: Unmanaged<Broadcast<Output, Failure>>
  /// The object that retains the broadcast, until the branch leaves it: the subject, because a callback that captures the
  /// subject weakly is a common idiom; or the broadcast itself.
  @usableFromInline package var owner: AnyObject?
  /// Indicates whether the broadcast knows that there is demand.
  @usableFromInline package var isDemandRecorded = false
  /// Indicates whether the subscriber has requested values.
  @usableFromInline package var hasRequestedValues = false
  /// Indicates whether the subscriber has its subscription.
  @usableFromInline package var hasBegun = false

  @inlinable
  package init(_ broadcast: Unmanaged<Broadcast<Output, Failure>>, _ owner: consuming AnyObject) {
    self.broadcast = broadcast
    self.owner = consume owner
  }

  @inlinable package static var traits: Gate.Traits { [.isSource, .lendsTurn] }

  /// Lets a value wait, or sends it. Returns false if it is dropped.
  @inlinable @inline(__always)
  package mutating func accepts(_ value: Output, _ reaction: inout Reaction<Output, Failure>) -> Bool {
    let waiting = reaction.waiting
    guard let requested = reaction.demand.max, waiting >= requested else {
      reaction.emit(value)
      return true
    }
    // The broadcast is sending the value.
    let limit = broadcast._withUnsafeGuaranteedRef { $0.limit }
    if limit == 0 { return false }
    if waiting &- requested >= limit { reaction.dropOldest(after: requested) }
    reaction.enqueue(value)
    return true
  }

  @inlinable
  package mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {
    hasRequestedValues = true
    if isDemandRecorded { return }
    isDemandRecorded = true
    if owner != nil { reaction.request(.unlimited, from: broadcast.takeUnretainedValue()) }
  }

  @inlinable
  package static func cancel(_ engine: Engine<Self>) {
    unsafeDowncast(engine, to: Branch<Output, Failure>.self).leaveBroadcast()
  }

  @inlinable
  package mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    let keepsAfterEnd = broadcast._withUnsafeGuaranteedRef { $0.replay == .several }
    if keepsAfterEnd { reaction.finish(completion) } else { reaction.endEarly(with: completion) }
  }

  @inlinable
  package mutating func cancelSources(_ reaction: inout Reaction<Output, Failure>) { reaction.release(owner.take()) }
}
