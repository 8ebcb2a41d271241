public import Synchronization

/// A lock, the turn to deliver, and the state of a stream that they protect. It is the subscription that downstream
/// receives.
///
/// - A *transition* changes the state under the lock, and adds the ``Action``s that follow from it. The thread that made
///   the transition carries them out when it has released the lock.
/// - The *turn* is the right to call downstream. One thread at a time has it, and never holds the lock while it delivers.
///   A thread that adds work while another has the turn marks the word as *dirty*, so that the other looks again before it
///   ends its turn. So no thread waits for a delivery.
///
/// Both are bits of one word, so that a delivery needs three atomic instructions: one that takes the lock, one that
/// exchanges it for the turn, and one that ends the turn if nothing was left meanwhile.
///
/// A gate knows no elements, and is compiled once. It reaches the ``Outbox`` and the ``Machine`` of its engine through
/// ``handle``, and each event states whether the lock is held.
@usableFromInline @_fixed_layout
class Gate: Subscription {
  /// What the engine of a gate is asked to handle.
  @usableFromInline @frozen
  enum Event {
    // Parts of a transition, under the lock.

    /// Downstream has requested more, which is part of ``Gate/demand`` already.
    case requested(Subscribers.Demand)
    /// An element with the tag has been delivered.
    case delivered(Int)
    /// Nothing more is delivered: sources and timers are given up.
    case ended

    // Without the lock.

    /// The scheduler is to be asked to run work.
    case schedule(ScheduledWork)
    /// The scheduler runs the work: a transition of its own.
    case run(ScheduledWork)

    /// Downstream requests values of a broadcast.
    case request(Subscribers.Demand)
    /// Downstream cancels the subscription of a broadcast.
    case cancel

    // With the turn, and under the lock, which is released.

    /// What is ready is to be delivered.
    case deliver
  }

  /// The phases of a stream.
  ///
  ///     running ─► awaitingScheduler ─► finishing ─► over
  ///        ├───────────────────────────────▲          ▲
  ///        └──► endingEarly ──────────────────────────┘     from each phase to over: a cancellation
  @usableFromInline @frozen
  enum Phase {
    /// Elements arrive.
    case running
    /// Nothing more is accepted, and the completion waits for the scheduler.
    case awaitingScheduler
    /// Nothing more is accepted. The elements that wait are delivered, then the completion.
    case finishing
    /// Nothing more is accepted. The elements for which there is demand are delivered, then the completion.
    case endingEarly
    /// Nothing more is delivered.
    case over
  }

  #if STREAMS_EXPLORE
    @usableFromInline final let word = Atomic<UInt8>(ofLock: 0)
  #else
    @usableFromInline final let word = Atomic<UInt8>(0)
  #endif

  /// Indicates whether deliveries are made only by work that a scheduler runs.
  @usableFromInline final let deliversOnScheduler: Bool

  /// Indicates whether the machine is told of each delivery from the queue.
  @usableFromInline final let tracksDeliveries: Bool

  /// Indicates whether this belongs to a subscriber of a broadcast, to which it lends its turn; see ``lent``.
  @usableFromInline final let lendsTurn: Bool

  /// Indicates whether this engine is a trampoline; see ``ThreadContext``.
  @usableFromInline final let isTrampoline: Bool

  private let contexts: Atomic<Bool>

  /// Indicates whether elements that wait carry the context of their sender.
  @usableFromInline final var carriesContext: Bool { contexts.load(ordering: .relaxed) }

  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @usableFromInline @exclusivity(unchecked) final var phase = Phase.running

  /// Indicates whether scheduled work has yet to start.
  @usableFromInline @exclusivity(unchecked) final var isScheduled = false

  /// Indicates whether the stream ends with an error that the operator makes.
  @usableFromInline @exclusivity(unchecked) final var makesError = false

  /// The demand of downstream that no delivery has met yet.
  @usableFromInline @exclusivity(unchecked) final var demand = Subscribers.Demand.none

  /// How many elements at the front of the queue may be delivered.
  @usableFromInline @exclusivity(unchecked) final var ready = 0

  /// What the present transition leaves to be done without the lock.
  @usableFromInline @exclusivity(unchecked) final var actions = Actions()

  /// The state of handing the turn to another thread.
  @usableFromInline @exclusivity(unchecked) final var handover = Handover()

  // Declared here, where the alignment of fields leaves room for it.
  private final let storedLevel: Int32

  /// The number of engines between this one and the downstream end of the chain.
  final var level: Int { Int(storedLevel) }

  @usableFromInline typealias Handle = (Gate, Event) -> Void

  /// Calls the code that knows the types. It captures nothing, so it calls specialized code and forms no cycle.
  @usableFromInline final let handle: Handle

  @usableFromInline
  init(
    deliversOnScheduler: Bool, tracksDeliveries: Bool, lendsTurn: Bool, isNested: Bool, handle: @escaping Handle
  ) {
    self.deliversOnScheduler = deliversOnScheduler
    self.tracksDeliveries = tracksDeliveries
    self.lendsTurn = lendsTurn
    self.handle = handle
    let level = isNested ? ThreadContext.level : 0
    storedLevel = Int32(level)
    isTrampoline = level % ThreadContext.segment == ThreadContext.segment - 1
    contexts = Atomic(ContextCarrier.isAny)
  }

  /// From now on, elements that wait carry the context of their sender.
  final func carryContexts() { contexts.store(true, ordering: .relaxed) }

  // MARK: The subscription

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    if lendsTurn { return handle(self, .request(demand)) }
    let state = lock()
    addDemand(demand)
    conclude(state)
  }

  /// Adds to the demand. Called under the lock.
  @usableFromInline
  final func addDemand(_ more: Subscribers.Demand) {
    guard phase != .over else { return }
    demand += more
    handle(self, .requested(more))
  }

  @usableFromInline
  final func cancel() {
    if lendsTurn { return handle(self, .cancel) }
    let state = lock()
    end()
    conclude(state)
  }

  /// A subscription as the kernel stores it.
  @usableFromInline
  final func storable(_ subscription: any Subscription) -> SubscriptionObject { subscription._object.object }

  @usableFromInline
  final func cancelUnwanted(_ subscription: SubscriptionObject) { perform(.cancel(subscription)) }

  /// Ends the stream. Called under the lock.
  @usableFromInline
  final func end() {
    guard phase != .over else { return }
    phase = .over
    handle(self, .ended)
  }

  // MARK: Transitions

  /// Takes the lock for a transition that is not made for each element. Returns whether a thread has the turn.
  @usableFromInline
  final func beginTransition() -> UInt8 { lock() }

  /// Ends a transition: releases the lock, carries out the actions, and delivers what is ready, unless another thread has
  /// the turn, or only a scheduler's work may take it.
  @usableFromInline
  final func conclude(_ state: UInt8, onScheduler: Bool = false) {
    let isHeld = state & Self.turn != 0
    let takesTurn = hasWork(onScheduler) && (!isHeld || handover.takeOver())
    let isDeferred = isTrampoline && phase != .over
    let newState = isHeld ? state | Self.dirty : takesTurn ? Self.turn : 0
    if actions.isEmpty {
      if takesTurn, !isDeferred { return handle(self, .deliver) }
      unlock(newState)
    } else {
      let actions = self.actions.take()
      unlock(newState)
      perform(actions)
    }
    guard takesTurn else { return }
    if isDeferred { trampoline(.down) { self.deliver() } } else { deliver() }
  }

  /// Delivers what is ready. The caller has the turn.
  @usableFromInline
  final func deliver() {
    lockWithTurn()
    handle(self, .deliver)
  }

  /// What the thread with the turn does next.
  @usableFromInline @frozen
  enum Step {
    /// Actions have been carried out, or the turn has been offered: look again.
    case lookAgain
    /// Remove the first element, release the lock, and deliver the element.
    case element
    /// Deliver the completion. The lock has been released.
    case completion
    /// Release what is left, and the lock: the stream is over.
    case release
    /// Nothing: the turn has ended, or another thread has taken it. The lock has been released.
    case none
  }

  /// Decides what the thread with the turn does next. The caller has the turn, and holds the lock.
  @usableFromInline
  final func nextStep(_ burst: inout Burst, isEmpty: Bool) -> Step {
    if !actions.isEmpty {
      // They come first: a source that receives a request may cancel, and then nothing more is delivered.
      performUnlocked()
      lockWithTurn()
      return .lookAgain
    }
    if phase == .over { return .release }
    if ready != 0, demand != .none {
      if !deliversOnScheduler, burst.isOver(&handover), burst.offers(&handover) {
        unlock(Self.turn)
        if burst.isTaken({ change in withLock { change(&handover) } }) { return .none }
        lockWithTurn()
        return .lookAgain
      }
      _ = demand.spend()
      ready &-= 1
      return .element
    }
    if phase == .endingEarly || phase == .finishing && isEmpty {
      end()
      performUnlocked()
      return .completion
    }
    handover.end()
    unlock(restingState)
    return .none
  }

  /// The state of the word while there is nothing to deliver. Read under the lock.
  @inlinable
  final var restingState: UInt8 {
    lendsTurn && phase == .running && demand == .unlimited ? Self.lent : 0
  }

  /// Releases the lock, keeps the turn, and carries out the actions that are left.
  private func performUnlocked() {
    let actions = self.actions.take()
    unlock(Self.turn)
    perform(actions)
  }

  /// Indicates whether there is something for the thread with the turn. Called under the lock.
  @inlinable @inline(__always)
  final func hasWork(_ onScheduler: Bool) -> Bool {
    switch phase {
    case .running, .awaitingScheduler: ready != 0 && demand != .none && (onScheduler || !deliversOnScheduler)
    case .finishing, .endingEarly: onScheduler || !deliversOnScheduler
    case .over: true
    }
  }

  /// Indicates whether a transition of a scheduler's work has left nothing but something to deliver. Called under the lock.
  @usableFromInline
  final func startsDelivery(_ state: UInt8) -> Bool { state == 0 && actions.isEmpty && !isTrampoline && hasWork(true) }

  /// Carries out the actions of a transition. Called without the lock.
  @usableFromInline
  final func perform(_ actions: consuming Actions) {
    if let first = actions.first { perform(first) }
    for action in actions.others { perform(action) }
    if let timer = actions.schedule.timer { handle(self, .schedule(.timer(timer))) }
    if actions.schedule.delivers { handle(self, .schedule(.delivery)) }
  }

  private func perform(_ action: Action) {
    switch action {
    case .request(let subscription, let demand):
      if isTrampoline { trampoline(.up) { subscription.request(demand) } } else { subscription.request(demand) }
    case .cancel(let subscription):
      if isTrampoline { trampoline(.up) { subscription.cancel() } } else { subscription.cancel() }
    case .disarm(let timer): timer.cancel()
    case .release: break
    case .reportWaiting: reportWaiting()
    }
  }

  /// Runs work for which a scheduler was asked.
  @usableFromInline
  final func run(_ work: ScheduledWork) { handle(self, .run(work)) }

  // MARK: Sources

  /// Indicates whether nothing more will be delivered, so that no further source need be attached.
  @usableFromInline
  final var isOver: Bool { withLock { phase == .over } }

  /// Indicates whether nothing more is accepted.
  final var hasEnded: Bool { withLock { phase != .running } }

  /// Subscribes to a source that the operator was created with, unless nothing more will be delivered.
  @inlinable @inline(__always)
  final func attach<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: consuming Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure {
    if !isOver { nest(source, child) }
  }

  /// Subscribes to a source that was made while the stream runs, one level up.
  @inlinable @inline(__always)
  final func attachNew<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure {
    // An erased publisher bounds the stack of endless chains itself, and `Just` attaches nothing further. The compiler
    // knows the type of the source, so the check costs nothing.
    if isTrampoline, !(source is AnyPublisher<Source.Output, Source.Failure> || source is Just<Source.Output>) {
      trampolineAttaching { [self] in nest(source, child) }
    } else {
      nest(source, child)
    }
  }

  @usableFromInline
  final func trampolineAttaching(_ work: @escaping () -> Void) {
    // While this engine is itself being attached, the level is its own; otherwise the source was made because of a signal.
    trampoline(ThreadContext.level == level ? .up : .across, work)
  }

  /// Subscribes to a source, one level up.
  ///
  /// Never inlined: the optimizer of Swift 6.3 crashes on a longer chain in one function. Optimized for size, because most of
  /// the code of a chain is here, and runs once for a subscription.
  @inlinable @inline(never) @_optimize(size)
  final func nest<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure {
    let place = enterSources()
    source.subscribe(child)
    leaveSources(place)
  }

  @usableFromInline
  final func enterSources() -> ThreadContext.SavedLevel { ThreadContext.enter(level: level + 1) }

  final func trampoline(_ direction: ThreadContext.Direction, _ work: @escaping () -> Void) {
    ThreadContext.current.trampoline(direction, work)
  }

  // MARK: What an engine overrides

  /// Tells what this holds and waits for. Takes the lock.
  func inspect(_ tell: StreamFact.Tell) {}

  /// Returns the operator's name if it requests only as many elements of a source as it has room for, and the subscriber.
  func limit(of slot: Int) -> (operatorName: String?, subscriber: Any?) { (nil, nil) }

  /// Reports that many elements wait.
  func reportWaiting() {}
}

// MARK: The lock and the turn

extension Gate {
  // The bits of the word. Transparent, because unoptimized code would call functions for them.
  @inlinable @_transparent static var locked: UInt8 { 1 }
  /// Threads sleep until the lock is free. Only with `locked`.
  @inlinable @_transparent static var contended: UInt8 { 2 }
  /// A thread has the turn.
  @inlinable @_transparent static var turn: UInt8 { 4 }
  /// Something has changed since the thread with the turn last looked. Only with `turn`.
  @inlinable @_transparent static var dirty: UInt8 { 8 }
  /// The thread that sends the values of a broadcast has the turn: demand is unlimited and nothing waits, so that it
  /// need not ask. It finds out from the word whether that is still so. The lock and the turn are free for this thread,
  /// and the turn is taken for others.
  @inlinable @_transparent static var lent: UInt8 { 16 | turn }

  /// Takes the lock. Returns whether a thread has the turn, as the bits of the word.
  @inlinable @inline(__always)
  final func lock() -> UInt8 {
    #if STREAMS_EXPLORE
      beginExploredSection()
    #endif
    if word.weakCompareExchange(expected: 0, desired: Self.locked, ordering: .acquiring).exchanged { return 0 }
    return lockSlowly()
  }

  /// Takes the lock as the thread that has the turn.
  @inlinable @inline(__always)
  final func lockWithTurn() { _ = lock(expecting: Self.turn) }

  /// Takes the lock, at a lower cost if the word is as expected.
  @inlinable @inline(__always)
  final func lock(expecting state: UInt8) -> UInt8 {
    #if STREAMS_EXPLORE
      beginExploredSection()
    #endif
    if word.weakCompareExchange(expected: state, desired: state | Self.locked, ordering: .acquiring).exchanged {
      return state
    }
    return lockSlowly()
  }

  @usableFromInline @inline(never)
  final func lockSlowly() -> UInt8 {
    while true {
      let old = word.load(ordering: .relaxed)
      if old & Self.locked == 0 {
        if word.compareExchange(expected: old, desired: old | Self.locked, ordering: .acquiring).exchanged {
          return old
        }
      } else if old & Self.contended != 0
        || word.compareExchange(expected: old, desired: old | Self.contended, ordering: .relaxed).exchanged
      {
        // All that sleep are woken, and each one that finds the lock taken again marks it again.
        Platform.WaitQueue.of(self).sleep { word.load(ordering: .relaxed) & Self.contended != 0 }
      }
    }
  }

  /// Releases the lock, and sets the other bits of the word.
  @inlinable @inline(__always)
  final func unlock(_ state: UInt8) {
    if word.exchange(state, ordering: .releasing) & Self.contended != 0 { wakeOthers() }
    #if STREAMS_EXPLORE
      endExploredSection()
    #endif
  }

  @usableFromInline @inline(never)
  final func wakeOthers() { Platform.WaitQueue.of(self).wake() }

  /// Indicates whether the thread that sends the values of a broadcast may deliver without the lock.
  @inlinable @inline(__always)
  final var isLent: Bool {
    #if STREAMS_EXPLORE
      beginExploredSection()
      defer { endExploredSection() }
    #endif
    return word.load(ordering: .acquiring) == Self.lent
  }

  /// Takes the lock as the thread that sends the values of a broadcast, and the turn, if it has been lent.
  @inlinable @inline(__always)
  final func lockAsSender(expecting expected: UInt8 = 0) -> UInt8 {
    let state = lock(expecting: expected)
    return state & Self.lent == Self.lent ? 0 : state
  }

  /// Ends the turn or lends it, unless something has been left since. Returns whether it has ended.
  @inlinable @inline(__always)
  final func endTurn(lends: Bool = false) -> Bool {
    #if STREAMS_EXPLORE
      beginExploredSection()
      defer { endExploredSection() }
    #endif
    return word.compareExchange(expected: Self.turn, desired: lends ? Self.lent : 0, ordering: .releasing).exchanged
  }

  /// Runs a closure under the lock, and changes nothing that the thread with the turn must know.
  @usableFromInline @inline(__always)
  final func withLock<Result>(_ body: () -> Result) -> Result {
    let state = lock()
    let result = body()
    unlock(state)
    // The optimizer would otherwise release a result that the caller does not use at its last use, under the lock.
    extendLifetime(result)
    return result
  }
}

/// Ends what ``Gate/enterSources()`` has begun. A function of the file, because a client would have to keep the engine for a
/// method, and to look up metadata for a static one.
@usableFromInline
func leaveSources(_ place: ThreadContext.SavedLevel) {
  place.context._withUnsafeGuaranteedRef { $0.level = place.outer }
}
