/// Runs a ``OldMachine``: accepts events from any thread, and carries out what the machine decides.
///
/// The engine is the one place where the signals of several sources meet, and it enforces the rules for that:
///
/// - A transition happens under the lock; its results are carried out outside.
/// - Effects upstream are done at once, by the thread that caused them.
/// - Deliveries are made by one *drainer* at a time. A thread that finds a drainer at work leaves its element in
///   the outlet and returns; the drainer delivers it. No thread waits, and a value that was stored earlier is
///   delivered earlier.
/// - An element for which the machine need not be asked takes a direct path (``DirectPaths``).
///
/// The ways of an element from the child that receives it:
///
///     deliverDirect(from:) ─────────────────────────────────► downstream   `everySlot`, `oneSlot`
///     receive ───────► the machine decides: refused, or waits as above
///
///     waiting ─► next(_:) returns `element` ────────────────► downstream   as demand permits, by the drainer
///     waiting ─► lost, once the stream is over; destroyed with the outlet
///
/// The engine is also the subscription that downstream receives. It is not generic, so that a request or a cancellation
/// through `any Subscription` runs precompiled code; code that knows the element types is reached through
/// ``AnyOutlet``.
///
/// This file contains the events and the attaching of sources; `OldEngine+Delivery.swift` carries out the decisions, and
/// `OldEngine+DirectPaths.swift` handles elements on a direct path.
@usableFromInline
final class OldEngine: Locked<OldEngine.State>, Subscription {
  @usableFromInline
  struct State {
    var outlet: AnyOutlet?
    /// The state of handing the role to another thread.
    var handover = Handover()
  }

  /// The state machine that makes the decisions. Used only while the lock is held.
  @usableFromInline
  let machine: OldMachine

  /// The role of delivering.
  @usableFromInline
  let role = DrainRole()

  /// The role of attaching sources.
  private let attachingRole = DrainRole()

  /// The number of engines between this one and the downstream end of the chain.
  let level: Int

  /// Indicates whether this engine is a trampoline. Nested engines form segments of 64 levels, and the last level of a
  /// segment is its trampoline: work that arrives there while another trampoline of the same thread is at work is
  /// deferred, so that the stack can unwind. ``ThreadContext`` has a picture.
  @usableFromInline
  let isTrampoline: Bool

  /// Indicates whether the elements that wait carry their context. They then wait in a ``ContextOutlet``.
  let carriesContext: Bool

  init(_ machine: OldMachine) {
    self.machine = machine
    level = ThreadContext.level
    isTrampoline = level % ThreadContext.segment == ThreadContext.segment - 1
    carriesContext = ContextCarrier.isAny
    super.init(State())
  }

  /// Stores the outlet of an engine that nothing has reached yet.
  @usableFromInline
  func install(_ outlet: AnyOutlet) {
    let outlet = carriesContext ? ContextOutlet(outlet) : outlet
    withLock { $0.outlet = outlet }
  }

  // MARK: Events

  @usableFromInline
  func connect(_ subscription: any Subscription, to slot: OldMachine.Slot) {
    let object = subscription._object.object
    var demand: Subscribers.Demand?
    transition { demand = machine.connected(object, from: slot, &$0) }
    guard let demand else { return cancelUpstream(object) }
    // Not deferred at a trampoline: a fresh subscription has no long chain attached to it yet, and values sent before
    // the request would be lost.
    if demand != .none { subscription.request(demand) }
  }

  /// Reports an element. Called under the lock, if the machine decides so: `store`, which stores it; `combine`, which
  /// makes an output of this element and of others that are kept; and, before, `displace`, which moves the element that
  /// this one replaces, the oldest that is not promised, to a variable of the caller.
  @usableFromInline
  func receive(from slot: OldMachine.Slot, store: () -> Void, combine: () -> Void = {}, displace: () -> Void = {}) {
    if carriesContext {
      return receiveInContext(from: slot, store: store, combine: combine, displace: displace)
    }
    var isReported = false
    transition { effects in
      _ = accept(machine.received(from: slot, &effects), store: store, combine: combine, displace: displace)
      assert(notes(&isReported))
    }
    if isReported { noteWaiting() }
  }

  /// Sets a flag if so many elements wait that this is to be reported. Called in assertions, under the lock.
  @usableFromInline
  func notes(_ isReported: inout Bool) -> Bool {
    if machine.hasReachedWaitingLimit { isReported = true }
    return true
  }

  /// Stores an element as the machine has decided.
  @inline(__always)
  func accept(
    _ reception: OldMachine.Reception, store: () -> Void, combine: () -> Void, displace: () -> Void
  ) -> OldMachine.Reception {
    switch machine.count(reception) {
    case .refused: break
    case .stored, .setAside: store()
    case .completes:
      store()
      combine()
    case .replaces:
      displace()
      store()
    }
    return reception
  }

  /// Makes a transition that concerns no element, unless the stream is certain to end.
  @usableFromInline @inline(__always)
  func transition(_ change: (inout Effects) -> Void) {
    update { if !machine.isFinishing { change(&$1) } }
  }

  /// Reports the completion of a source.
  ///
  /// `store` keeps the completion if it is still needed; `attach` attaches the source that follows, if there is
  /// one.
  @usableFromInline
  func sourceEnded(
    _ slot: OldMachine.Slot, failed: Bool, store: () -> Void = {}, attach: (OldMachine.Slot) -> Void = { _ in }
  ) {
    var ending = OldMachine.Ending.continues
    let context = carriesContext ? ContextSnapshot.captured() : nil
    var displaced: ContextSnapshot?
    update { state, effects in
      if machine.isFinishing { return }
      ending = machine.ended(slot, failed: failed, &effects)
      if ending != .continues { store() }
      if carriesContext { displaced = state.withContexts { $0.end(context, count: machine.waiting) } }
    }
    _ = displaced
    if ending == .hasSuccessor { attachSources(attach) }
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    update { if !machine.isOver { machine.requested(demand, &$1) } }
  }

  @usableFromInline
  func cancel() {
    update { if !machine.isOver { machine.end(&$1) } }
  }

  /// Makes a transition of the machine, and carries out what it decides.
  @inline(__always)
  func update(_ change: (inout State, inout Effects) -> Void) {
    var effects = Effects()
    var garbage: AnyOutlet?
    let performs = withLock { state, key in
      role.disturb(key)
      change(&state, &effects)
      let performs = machine.isReady && (role.claimIfFree(key) || state.handover.takeOver())
      finishTransition(&state, &garbage, key)
      return performs
    }
    if !effects.isEmpty { perform(&effects) }
    if let garbage { release(garbage) }
    if performs { deliver() }
  }

  /// Updates the direct paths after a transition, and moves an outlet that is no longer needed to `garbage`.
  @inline(__always)
  func finishTransition(_ state: inout State, _ garbage: inout AnyOutlet?, _ key: borrowing LockKey) {
    machine.updateDirectPath(asksMachine: isTrampoline)
    if machine.isOver, !role.isHeld(key) { swap(&garbage, &state.outlet) }
  }

  /// Runs a closure while the lock is held.
  @inlinable @inline(__always)
  func guarded<Result: ~Copyable>(_ body: () -> Result) -> Result { withLock { _ in body() } }

  /// Indicates whether nothing more will be delivered, so that no further source need be attached.
  @usableFromInline
  var isOver: Bool { withLock { _ in machine.isOver } }

  // MARK: Attaching sources

  /// Opens a slot for a further source, unless none is wanted any more.
  @usableFromInline
  func open() -> OldMachine.Slot? {
    var slot: OldMachine.Slot?
    transition { slot = machine.open(&$0) }
    return slot
  }

  /// Attaches a source and, each time one ends while it is being attached, its successor.
  ///
  /// This is a loop, so that a hundred thousand sources that end immediately do not grow the stack.
  @usableFromInline
  func attachSources(_ attach: (OldMachine.Slot) -> Void) {
    if withLock({ attachingRole.claimOrDisturb($1) }) { endAttaching(attach) }
  }

  /// Claims the role of attaching sources to an engine that has none yet, to attach the first.
  @usableFromInline
  func beginAttaching() { withLock { attachingRole.claim($1) } }

  /// Attaches the sources that have been left to the holder of the role, and then ends it.
  @usableFromInline
  func endAttaching(_ attach: (OldMachine.Slot) -> Void) {
    while !attachingRole.endUndisturbed() {
      withLock { attachingRole.lookAgain($1) }
      if let slot = open() { inContextOfSubscription { attach(slot) } }
    }
  }

  /// Subscribes to a source that the operator was created with, one level up, unless nothing more will be delivered.
  ///
  /// However deeply such sources are nested, their types are finite; unbounded chains go through sources that are
  /// created while the stream runs (``attachNew(_:_:)``), or through erased publishers, and both keep the stack
  /// bounded.
  @inlinable @inline(__always)
  func attach<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: consuming Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure {
    if !isOver { nest(source, child) }
  }

  /// Subscribes to a source that a closure has returned, one level up.
  @inlinable @inline(__always)
  func attachNew<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure {
    // An erased publisher bounds the stack of endless chains itself, and `Just` attaches nothing further. The compiler
    // knows the type of the source, so the check costs nothing.
    if isTrampoline, !(source is AnyPublisher<Source.Output, Source.Failure> || source is Just<Source.Output>) {
      trampolineAttaching { [self] in nest(source, child) }
    } else {
      nest(source, child)
    }
  }

  /// Subscribes to a source, one level up.
  ///
  /// Never inlined, so that it is compiled once, and a function of its own: when all stages of a longer chain were
  /// inlined into the one function that subscribes, the nested borrows exceeded what Swift 6.3's optimizer can count,
  /// and it crashed.
  @inlinable @inline(never)
  func nest<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure {
    let place = enterSources()
    source.subscribe(child)
    leaveSources(place)
  }

  /// Sets the level of new engines to one level up, until the thread leaves the returned place.
  @usableFromInline
  func enterSources() -> ThreadContext.SavedLevel { ThreadContext.enter(level: level + 1) }

  @usableFromInline
  func trampolineAttaching(_ work: @escaping () -> Void) {
    // While this engine is itself being attached, the level is its own; otherwise the source was created because of a
    // signal.
    trampoline(ThreadContext.level == level ? .up : .across, work)
  }

  func trampoline(_ direction: ThreadContext.Direction, _ work: @escaping () -> Void) {
    ThreadContext.current.trampoline(direction, work)
  }
}

/// Ends what `OldEngine.enterSources` has begun. A function of the file, because a client would have to keep the engine
/// for a method, and to look up metadata for a static one.
@usableFromInline
func leaveSources(_ place: ThreadContext.SavedLevel) {
  place.context._withUnsafeGuaranteedRef { $0.level = place.outer }
}
