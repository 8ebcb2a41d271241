/// Sends values to many subscribers. Used by subjects, `multicast`, `share` and `@Published`.
///
/// A broadcast is an engine whose downstream is a ``BranchList``. So one thread sends at a time, and sends what others
/// leave to it meanwhile: every subscriber receives the same values in the same order, and no thread waits. Subscribers
/// that join and leave wait in the same queue, behind the values that were sent before.
///
/// Each subscriber has a ``Branch``, which holds what waits for it.
@usableFromInline @_fixed_layout
package final class Broadcast<Output, Failure: Error>: Engine<FanoutMachine<Output, Failure>> {
  @usableFromInline package let replay: Replay
  /// The number of values that are kept, and that a branch keeps beyond its demand.
  @usableFromInline package let limit: Int

  // Exclusive: accessed only under the lock.
  /// Indicates whether it has had a subscriber while streams were observed.
  @exclusivity(unchecked) private var hasBeenObserved = false

  /// Indicates whether its subscribers have left, as far as they were observed.
  @usableFromInline
  package var isAbandoned: Bool { withLock { hasBeenObserved && machine.subscribers == 0 } }

  /// Creates a broadcast that keeps no values.
  @inlinable
  package convenience init() { self.init(.nothing, 0) }

  /// Creates a broadcast that replays its newest value.
  @inlinable
  package convenience init(current: Output, isPublished: Bool = false) {
    self.init(isPublished ? .newestOfProperty : .newest, 1)
    _ = machine.keep(current, in: nil)
  }

  /// Creates a broadcast that replays its newest values, up to the given number, even after the end.
  @inlinable
  package convenience init(keeping count: Int) { self.init(.several, count) }

  @inlinable @inline(never)
  package init(_ replay: Replay, _ limit: Int) {
    self.replay = replay
    self.limit = limit
    super.init(FanoutMachine(limit, hasDemand: replay != .nothing), BranchList(), nil)
    // Each branch decides by its own demand.
    demand = .unlimited
    noteMade()
  }

  @usableFromInline
  package func noteMade() { StreamObserver.noteMade(self) }

  deinit {
    StreamObserver.noteReleased(self)
    for upstream in machine.upstreams { upstream.cancel() }
  }

  // MARK: Sending

  /// Sends a value, and keeps it if the broadcast replays. After the completion, the value is kept only if
  /// `keepsAfterEnd` is true.
  @inlinable @inline(never)
  package func send(_ value: Output, keepsAfterEnd: Bool = false) {
    if replay != .nothing { return sendAndKeep(value, keepsAfterEnd: keepsAfterEnd) }
    let found = lock()
    guard found == .free, phase == .running else {
      unlock(found)
      return enqueue(value, keepsAfterEnd: keepsAfterEnd)
    }
    // Nothing is in the way.
    unlock(.turn)
    sendToAll(value)
  }

  @inlinable @inline(never)
  package func sendAndKeep(_ value: Output, keepsAfterEnd: Bool) {
    let found = lock()
    guard found == .free, phase == .running, !carriesContext else {
      unlock(found)
      return enqueue(value, keepsAfterEnd: keepsAfterEnd)
    }
    let displaced = machine.keep(value, in: nil)
    unlock(.turn)
    sendToAll(value)
    extendLifetime(displaced)
  }

  /// Sends a value with the turn, and ends the turn.
  @inlinable @inline(__always)
  package func sendToAll(_ value: Output) {
    guard let receiver else { stopAtLateDelivery() }
    receiver._withUnsafeGuaranteedRef { unsafeDowncast($0, to: BranchList<Output, Failure>.self).send(value) }
    if !endTurn() { deliver() }
  }

  @inlinable @inline(never) @_optimize(size)
  package func enqueue(_ value: Output, keepsAfterEnd: Bool) {
    var isAccepted = false
    var displaced: QueuedElement<Output>?
    react(to: .element) { machine, reaction in
      isAccepted = true
      reaction.emit(.value(value))
      if replay != .nothing {
        displaced = machine.keep(value, in: reaction.context?.takeUnretainedValue())
      }
    }
    if isAccepted { return extendLifetime(displaced) }
    if keepsAfterEnd { displaced = withLock { machine.keep(value, in: nil) } } else { ignoreLateValue() }
    extendLifetime(displaced)
  }

  /// Calls a closure with the list of branches, which only the thread with the turn may use, and under the lock any thread
  /// while none has the turn.
  @inlinable @inline(__always)
  package func withList(_ body: (BranchList<Output, Failure>) -> Void) {
    guard let receiver else { stopAtLateDelivery() }
    receiver._withUnsafeGuaranteedRef { body(unsafeDowncast($0, to: BranchList.self)) }
  }

  /// Sends a value of a property. While it is being sent, the property has the value before.
  @inlinable @inline(never)
  package func sendBeforeChange(_ value: Output) {
    var displaced: QueuedElement<Output>?
    var former: Output?
    react(to: .element) { machine, reaction in
      let isSentNow = reaction.canPass
      reaction.emit(.value(value))
      displaced = machine.keep(value, in: reaction.context?.takeUnretainedValue())
      former = machine.previous.take()
      if isSentNow { machine.previous = displaced?.element }
    }
    extendLifetime(displaced)
    extendLifetime(former)
    extendLifetime(withLock { machine.previous.take() })
  }

  @inlinable @inline(never) @_optimize(size)
  package func send(completion: Subscribers.Completion<Failure>) {
    transition(.completion) { $1.finish(completion) }
  }

  // MARK: Subscribing

  /// Attaches a subscriber, whose subscription retains the owner of the broadcast; without one, the broadcast itself.
  @inlinable @inline(__always)
  package func subscribe<S: Subscriber>(_ subscriber: consuming S, of owner: AnyObject? = nil)
  where S.Input == Output, S.Failure == Failure {
    attach(SubscriberReceiver(subscriber), of: owner)
  }

  /// Attaches a receiver. Compiled once for each kind of value, whatever the subscriber is.
  @inlinable @inline(never)
  package func attach(_ receiver: Receiver<Output, Failure>, of owner: AnyObject?) {
    let branch = enter(receiver, of: owner)
    receiver.receive(subscription: branch)
    branch.deliverFirst()
  }

  /// Makes the branch of a subscriber. It is held back until the subscriber has its subscription.
  @inlinable @inline(__always)
  package func enter(_ receiver: Receiver<Output, Failure>, of owner: AnyObject?) -> Branch<Output, Failure> {
    if RuntimeFeatures.isAny { return makeBranchWithRuntimeFeatures(receiver, of: owner) }
    return add(Branch(receiver, of: self, owner ?? self))
  }

  @usableFromInline
  package func makeBranchWithRuntimeFeatures(_ receiver: Receiver<Output, Failure>, of owner: AnyObject?) -> Branch<
    Output, Failure
  > {
    // The first kind of context may have been registered since this was created.
    if RuntimeFeatures.includes(.contexts) { carryContexts() }
    guard RuntimeFeatures.includes(.observed) else { return add(Branch(receiver, of: self, owner ?? self)) }
    withLock { hasBeenObserved = true }
    let branch = add(Branch(CountingReceiver(receiver), of: self, owner ?? self))
    if hasEnded { StreamObserver.current?.late(branch) }
    return branch
  }

  /// Lets a branch join: right away, or when the values have been sent that wait already. After the end, it receives what
  /// is kept, and the completion.
  @inlinable @inline(__always)
  package func add(_ branch: Branch<Output, Failure>) -> Branch<Output, Failure> {
    let found = lock()
    if phase == .running || replay == .several { branch.replay(machine) }
    if phase == .running {
      machine.subscribers &+= 1
      if found == .free { withList { $0.append(branch) } } else { enqueueChange(.joins(branch)) }
    } else {
      branch.phase = .finishing
      branch.completion = completion
    }
    unlock(found.afterTransition(takingTurn: false))
    return branch
  }

  /// Lets a branch leave: right away, or when the values have been sent that wait already.
  @inlinable @inline(never)
  package func remove(_ branch: Branch<Output, Failure>) {
    var newest: QueuedElement<BranchListChange<Output, Failure>>?
    let found = lock()
    if phase == .running {
      machine.subscribers &-= 1
      if found == .free {
        withList { $0.remove(branch) }
      } else if !queue.isEmpty, case .joins(let joined) = queue[queue.count &- 1].element, joined === branch {
        // It joined during the same delivery.
        newest = queue.popLast()
        ready &-= 1
      } else {
        enqueueChange(.leaves(branch))
      }
    }
    unlock(found.afterTransition(takingTurn: false))
    if newest != nil || found == .free { branch.takeTurnBack() }
    extendLifetime(newest)
  }

  /// Leaves a change of the list to the thread that sends. Called under the lock.
  @inlinable @inline(never) @_optimize(size)
  package func enqueueChange(_ change: BranchListChange<Output, Failure>) {
    append(change, tag: 0, nil)
    ready &+= 1
  }

  // MARK: Upstream

  /// Stores the subscription of a publisher that a subject is attached to, and requests unlimited demand if there is
  /// demand, or if values are kept.
  @usableFromInline
  package func addUpstream(_ subscription: any Subscription) {
    // Those of publishers that have been detached or have finished are removed, or else each connection would leave
    // one.
    let (isOver, isWanted, _) = withLock {
      if phase != .running { return (true, false, []) }
      let ended = machine.upstreams.append(subscription) { ($0 as? SubjectLink)?.isForwarding == false }
      return (false, machine.hasDemand, ended)
    }
    if isOver {
      subscription.cancel()
    } else if isWanted {
      subscription.request(.unlimited)
    }
  }

  // MARK: What is kept

  /// The newest value, in a broadcast that replays it.
  @inlinable
  package var newestValue: Output { withLock { machine.kept[0].element } }

  /// The value of a property: the newest one, or while that is being sent, the one before.
  @inlinable
  package var valueOfProperty: Output { withLock { machine.previous ?? machine.kept[0].element } }

  // MARK: Inspection

  override func inspect(_ tell: StreamFact.Tell) {
    let found = lock()
    // While a thread sends, it may be changing the list. So it isn't read.
    tell(.subscribers, machine.subscribers, nil)
    if machine.hasDemand { tell(.requested, 0, nil) }
    if replay == .newestOfProperty { tell(.published, 0, nil) }
    if phase != .running { tell(.over, 0, nil) } else if found.hasTurn { tell(.delivering, 0, nil) }
    for upstream in machine.upstreams.prefix(StreamFact.maxReportedSources) {
      tell(.upstream, 0, upstream as AnyObject)
    }
    unlock(found)
  }

  override func reportWaiting() {
    StreamWarnings.reportWaiting(
      in: "a subject or a shared publisher", for: "subscribers that receive \(Output.self)")
  }
}

/// What the subscribers of a broadcast receive of the values that were sent before they joined.
@usableFromInline
package enum Replay {
  case nothing
  /// The newest value.
  case newest
  /// The newest value of a property, which has the value before while it is being sent.
  case newestOfProperty
  /// Several values, even after the end.
  case several
}

/// What a broadcast sends to its ``BranchList``.
@usableFromInline
package enum BranchListChange<Output, Failure: Error> {
  case value(Output)
  case joins(Branch<Output, Failure>)
  case leaves(Branch<Output, Failure>)
}

/// Keeps what a broadcast replays.
@usableFromInline @frozen
package struct FanoutMachine<Element, Failure: Error>: SourcelessMachine, ~Copyable {
  @usableFromInline package typealias Output = BranchListChange<Element, Failure>

  /// The number of values that are kept.
  @usableFromInline package let limit: Int

  /// Indicates whether unlimited demand is requested from upstream, because there is demand or because values are kept.
  @usableFromInline package var hasDemand: Bool

  /// The number of subscribers.
  @usableFromInline package var subscribers = 0

  /// The subscriptions of publishers that a subject is attached to.
  @usableFromInline package var upstreams: [any Subscription] = []

  /// The newest values. Their tags mean nothing.
  @usableFromInline package var kept = Ring<QueuedElement<Element>>()

  /// The value before the one that is being sent, if that is the value of a property.
  @usableFromInline package var previous: Element?

  @inlinable
  package init(_ limit: Int, hasDemand: Bool) {
    self.limit = limit
    self.hasDemand = hasDemand
  }

  /// Keeps a value. Returns the one that is given up for it.
  @inlinable @inline(__always)
  package mutating func keep(_ value: Element, in context: ContextSnapshot?) -> QueuedElement<Element>? {
    let element = QueuedElement(value, 0, context)
    if kept.count == limit { return limit == 0 ? element : kept.pushOutFirst(with: element) }
    kept.append(element)
    return nil
  }

  @usableFromInline
  package mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {
    if hasDemand { return }
    hasDemand = true
    for upstream in upstreams { reaction.request(.unlimited, from: upstream._object.object) }
  }

  @usableFromInline
  package mutating func cancelSources(_ reaction: inout Reaction<Output, Failure>) {
    for upstream in upstreams { reaction.cancel(upstream._object.object) }
    upstreams = []
    subscribers = 0
  }
}

/// The machine of a broadcast or a branch. Nothing is attached to it, and its engine tells what it holds.
@usableFromInline
package protocol SourcelessMachine: Machine, ~Copyable {}

extension SourcelessMachine where Self: ~Copyable {
  @inlinable package var name: String { "a subject" }
  @inlinable package static var traits: Gate.Traits { .isSource }

  @inlinable
  package mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? { nil }

  @inlinable
  package mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {}

  @inlinable
  package func inspect(_ tell: StreamFact.Tell) {}
}
