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
package class Gate: Subscription {
  /// What the engine of a gate is asked to handle.
  @usableFromInline @frozen
  package enum Event {
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

    /// Downstream cancels the subscription of a broadcast.
    case cancel

    // With the turn, and under the lock, which is released.

    /// What is ready is to be delivered.
    case deliver
  }

  /// The phases of a stream.
  ///
  /// ```text
  /// running ─► awaitingScheduler ─► finishing ─► over
  ///    ├───────────────────────────────▲          ▲
  ///    └──► endingEarly ──────────────────────────┘     from each phase to over: a cancellation
  /// ```
  @usableFromInline @frozen
  package enum Phase {
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
    @usableFromInline package final let word = Atomic<UInt8>(ofLock: 0)
  #else
    @usableFromInline package final let word: Atomic<UInt8>
  #endif

  /// What is special about an engine. Most have no traits.
  @usableFromInline @frozen
  package struct Traits: OptionSet {
    @usableFromInline package let rawValue: UInt8

    @inlinable @_transparent
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Deliveries are made only by work that a scheduler runs, which ``Machine/schedule(_:for:)`` asks for.
    @inlinable @_transparent package static var deliversOnScheduler: Traits { Traits(rawValue: 1) }
    /// ``Machine/delivered(_:_:)`` is called for each delivery from the queue, which it also is if the operator waits for room.
    @inlinable @_transparent package static var tracksDeliveries: Traits { Traits(rawValue: 2) }
    /// The engine is the subscription of one subscriber of a broadcast, to which it lends its turn; see ``Word/lent``.
    @inlinable @_transparent package static var lendsTurn: Traits { Traits(rawValue: 4) }
    /// The engine needs to know when an element comes.
    @inlinable @_transparent package static var timesElements: Traits { Traits(rawValue: 16) }
    /// The engine makes elements of those that arrive.
    @inlinable @_transparent package static var makesElements: Traits { Traits(rawValue: 32) }
    /// The engine has no sources, which might be engines, too.
    @inlinable @_transparent package static var isSource: Traits { Traits(rawValue: 8) }
  }

  @usableFromInline package final let traits: Traits

  /// Indicates whether this engine is a trampoline; see ``ThreadState``.
  @usableFromInline package final let isTrampoline: Bool

  private let contexts: Atomic<Bool>

  /// Indicates whether elements that wait carry the context of their sender.
  @usableFromInline package final var carriesContext: Bool { contexts.load(ordering: .relaxed) }

  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @usableFromInline @exclusivity(unchecked) package final var phase = Phase.running

  /// Indicates whether scheduled work has yet to start.
  @usableFromInline @exclusivity(unchecked) package final var isScheduled = false

  /// Indicates whether the stream ends with an error that the operator makes.
  @usableFromInline @exclusivity(unchecked) package final var makesError = false

  /// The demand of downstream that no delivery has met yet.
  @usableFromInline @exclusivity(unchecked) package final var demand = Subscribers.Demand.none

  /// How many elements at the front of the queue may be delivered.
  @usableFromInline @exclusivity(unchecked) package final var ready = 0

  /// What the present transition leaves to be done without the lock.
  @usableFromInline @exclusivity(unchecked) package final var actions = Actions()

  /// The state of handing the turn to another thread.
  @usableFromInline @exclusivity(unchecked) package final var handover = Handover()

  // Declared here, where the alignment of fields leaves room for them.
  /// When work was scheduled last, in hundredths of a second since streams have been observed; 0 if they aren't. It begins again
  /// after eleven minutes.
  private final let scheduledTime = Atomic<UInt16>(0)
  private final let storedLevel: Int32

  /// The number of engines between this one and the downstream end of the chain.
  final var level: Int { Int(storedLevel) }

  /// Notes that work is being scheduled, if streams are observed. Called without the lock.
  @usableFromInline
  package final func noteSchedule() {
    if RuntimeFeatures.includes(.observed) {
      let time = UInt16(truncatingIfNeeded: StreamObserver.time.load(ordering: .relaxed) / 10)
      scheduledTime.store(max(1, time), ordering: .relaxed)
    }
  }

  /// Tells that scheduled work has yet to start, and since when, if that's known.
  package final func tellSchedule(_ tell: StreamFact.Tell) {
    if isScheduled { tell(.scheduled, Int(scheduledTime.load(ordering: .relaxed)), nil) }
  }

  @usableFromInline package typealias Handle = (Gate, Event) -> Void

  /// Calls the code that knows the types. It captures nothing, so it calls specialized code and forms no cycle.
  @usableFromInline package final let handle: Handle

  @usableFromInline
  package init(_ traits: Traits, handle: @escaping Handle) {
    self.traits = traits
    self.handle = handle
    let level = traits.contains(.isSource) ? 0 : ThreadState.level
    storedLevel = Int32(level)
    isTrampoline = level % ThreadState.segment == ThreadState.segment - 1
    contexts = Atomic(ContextCarrier.isAny)
    // A branch is held back until its subscriber has the subscription.
    let initial = traits.contains(.lendsTurn) ? Word.turn : .free
    #if STREAMS_EXPLORE
      word.store(initial.bits, ordering: .relaxed)
    #else
      word = Atomic(initial.bits)
    #endif
  }

  /// Indicates whether deliveries are made only by work that a scheduler runs.
  @inlinable package final var deliversOnScheduler: Bool { traits.contains(.deliversOnScheduler) }

  /// From now on, elements that wait carry the context of their sender.
  final func carryContexts() { contexts.store(true, ordering: .relaxed) }

  // MARK: The subscription

  @usableFromInline
  package final func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    // The first request usually comes while a branch is held back.
    let found = lock(expecting: traits.contains(.lendsTurn) ? .turn : .free)
    addDemand(demand)
    conclude(found)
  }

  /// Adds to the demand. Called under the lock.
  @usableFromInline
  package final func addDemand(_ more: Subscribers.Demand) {
    guard phase != .over else { return }
    demand += more
    handle(self, .requested(more))
  }

  @usableFromInline
  package final func cancel() {
    if traits.contains(.lendsTurn) { return handle(self, .cancel) }
    let found = lock()
    end()
    conclude(found)
  }

  /// A subscription as the kernel stores it.
  @usableFromInline
  package final func storable(_ subscription: any Subscription) -> SubscriptionObject { subscription._object.object }

  @usableFromInline
  package final func cancelUnwanted(_ subscription: SubscriptionObject) { perform(.cancel(subscription)) }

  /// Ends the stream. Called under the lock.
  @usableFromInline
  package final func end() {
    guard phase != .over else { return }
    phase = .over
    handle(self, .ended)
  }

  // MARK: Transitions

  /// Takes the lock, as ``lock()`` does, for a transition that is not made for each element.
  @usableFromInline
  package final func lockOutOfLine() -> Word { lock() }

  /// Ends a transition: releases the lock, carries out the actions, and delivers what is ready, unless another thread has
  /// the turn, or only a scheduler's work may take it.
  @usableFromInline
  package final func conclude(_ found: Word, onScheduler: Bool = false) {
    let takesTurn = hasWork(onScheduler) && (!found.hasTurn || handover.takeOver())
    let isDeferred = isTrampoline && phase != .over
    let left = found.afterTransition(takingTurn: takesTurn)
    if actions.isEmpty {
      if takesTurn, !isDeferred { return handle(self, .deliver) }
      unlock(left)
    } else {
      let actions = self.actions.take()
      unlock(left)
      perform(actions)
    }
    guard takesTurn else { return }
    if isDeferred { trampoline(.down) { self.deliver() } } else { deliver() }
  }

  /// Keeps everything from downstream that has not received the subscription: takes the turn of an engine that nothing has
  /// reached yet. ``deliver()`` gives it back.
  @usableFromInline
  package final func holdBack() {
    _ = lock()
    unlock(.turn)
  }

  /// Delivers what is ready. The caller has the turn.
  @usableFromInline
  package final func deliver() {
    lockWithTurn()
    handle(self, .deliver)
  }

  /// What the thread with the turn does next.
  @usableFromInline @frozen
  package enum Step {
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
  package final func nextStep(_ burst: inout Burst, isEmpty: Bool) -> Step {
    if !actions.isEmpty {
      // They come first: a source that receives a request may cancel, and then nothing more is delivered.
      performUnlocked()
      lockWithTurn()
      return .lookAgain
    }
    if phase == .over { return .release }
    if ready != 0, demand != .none {
      if !deliversOnScheduler, burst.countsLastDelivery(&handover), burst.offersTurn(&handover) {
        unlock(.turn)
        if burst.losesTurn({ change in withLock { change(&handover) } }) { return .none }
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
    unlock(restingWord)
    return .none
  }

  /// The word while there is nothing to deliver. Called under the lock.
  @inlinable
  package final var restingWord: Word {
    traits.contains(.lendsTurn) && phase == .running && demand == .unlimited ? .lent : .free
  }

  /// Releases the lock, keeps the turn, and carries out the actions that are left.
  private func performUnlocked() {
    let actions = self.actions.take()
    unlock(.turn)
    perform(actions)
  }

  /// Indicates whether there is something for the thread with the turn. Called under the lock.
  @inlinable @inline(__always)
  package final func hasWork(_ onScheduler: Bool) -> Bool {
    switch phase {
    case .running, .awaitingScheduler: ready != 0 && demand != .none && (onScheduler || !deliversOnScheduler)
    case .finishing, .endingEarly: onScheduler || !deliversOnScheduler
    case .over: true
    }
  }

  /// Carries out the actions of a transition. Called without the lock.
  @usableFromInline
  package final func perform(_ actions: consuming Actions) {
    if let first = actions.first { perform(first) }
    for action in actions.others { perform(action) }
    if let timer = actions.timer { handle(self, .schedule(.timer(timer))) }
    if actions.delivers { handle(self, .schedule(.delivery)) }
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
  package final func run(_ work: ScheduledWork) { handle(self, .run(work)) }

  // MARK: Sources

  /// Indicates whether nothing more will be delivered, so that no further source need be attached.
  @usableFromInline
  package final var isOver: Bool { withLock { phase == .over } }

  /// Indicates whether nothing more is accepted.
  final var hasEnded: Bool { withLock { phase != .running } }

  /// Subscribes to a source that the operator was created with, unless nothing more will be delivered.
  @inlinable @inline(__always)
  package final func attach<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: consuming Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure {
    if !isOver { nest(source, child) }
  }

  /// Subscribes to a source that was made while the stream runs, one level up.
  @inlinable @inline(__always)
  package final func attachNew<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: Child)
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
  package final func trampolineAttaching(_ work: @escaping () -> Void) { trampoline(.attaching, work) }

  /// Subscribes to a source, one level up.
  ///
  /// Never inlined: the optimizer of Swift 6.3 crashes on a longer chain in one function. Optimized for size, because most of
  /// the code of a chain is here, and runs once for a subscription.
  @inlinable @inline(never) @_optimize(size)
  package final func nest<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure {
    let place = enterSourceLevel()
    source.subscribe(child)
    restoreSourceLevel(place)
  }

  @usableFromInline
  package final func enterSourceLevel() -> ThreadState.SavedLevel { ThreadState.enter(level: level + 1) }

  final func trampoline(_ direction: ThreadState.Direction, _ work: @escaping () -> Void) {
    ThreadState.current.trampoline(direction, work)
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
  /// The value of a gate's word.
  ///
  /// | the word | means | who requests, cancels or adds an element |
  /// | --- | --- | --- |
  /// | free | nothing is being delivered | may take the turn |
  /// | turn | a thread delivers | leaves the word dirty |
  /// | turn, dirty | it looks for more before it ends its turn | changes nothing in the word |
  /// | lent | the thread that sends a broadcast's values may deliver | leaves the word dirty; that thread, with a value, delivers it |
  /// | lent, dirty | that thread takes the lock for the next value, and the turn | changes nothing in the word |
  ///
  /// Each may be locked, too. The lock is held for a few instructions.
  @usableFromInline @frozen
  package struct Word: Equatable {
    @usableFromInline package let bits: UInt8

    @inlinable @_transparent
    package init(_ bits: UInt8) { self.bits = bits }

    // Transparent, because unoptimized code would call functions for them.

    /// Neither the lock nor the turn is taken.
    @inlinable @_transparent package static var free: Word { Word(0) }
    /// The lock is taken.
    @inlinable @_transparent package static var locked: Word { Word(1) }
    /// Threads sleep until the lock is free. Only with `locked`.
    @inlinable @_transparent package static var contended: Word { Word(2) }
    /// A thread has the turn.
    @inlinable @_transparent package static var turn: Word { Word(4) }
    /// Something has changed since the thread with the turn last looked. Only with `turn`.
    @inlinable @_transparent package static var dirty: Word { Word(8) }
    /// The thread that sends the values of a broadcast has the turn: demand is unlimited and nothing waits, so that it need
    /// not ask. It finds out from the word whether that is still so. To others, the turn is taken.
    @inlinable @_transparent package static var lent: Word { Word(16 | 4) }

    @inlinable @_transparent
    package func contains(_ other: Word) -> Bool { bits & other.bits == other.bits }

    @inlinable @_transparent
    package func with(_ other: Word) -> Word { Word(bits | other.bits) }

    /// Indicates whether a thread has the turn.
    @inlinable @_transparent package var hasTurn: Bool { contains(.turn) }

    /// What a transition makes of the word that it found: it tells a thread that has the turn, or takes the turn itself.
    @inlinable
    package func afterTransition(takingTurn takesTurn: Bool) -> Word {
      hasTurn ? with(.dirty) : takesTurn ? .turn : .free
    }
  }

  /// Takes the lock. Returns the word that it found, without the bits of the lock.
  @inlinable @inline(__always)
  package final func lock() -> Word { lock(expecting: .free) }

  /// Takes the lock as the thread that has the turn.
  @inlinable @inline(__always)
  package final func lockWithTurn() { _ = lock(expecting: .turn) }

  /// Takes the lock, at a lower cost if the word is as expected.
  @inlinable @inline(__always)
  package final func lock(expecting expected: Word) -> Word {
    #if STREAMS_EXPLORE
      acquireExploredLock()
    #endif
    let isTaken = word.weakCompareExchange(
      expected: expected.bits, desired: expected.with(.locked).bits, ordering: .acquiring
    ).exchanged
    return isTaken ? expected : lockSlowly()
  }

  @usableFromInline @inline(never)
  package final func lockSlowly() -> Word {
    while true {
      let found = Word(word.load(ordering: .relaxed))
      if !found.contains(.locked) {
        if change(found, to: found.with(.locked)) { return found }
      } else if found.contains(.contended) || change(found, to: found.with(.contended)) {
        // All that sleep are woken, and each one that finds the lock taken again marks it again.
        Platform.WaitQueue.of(self).sleep { Word(word.load(ordering: .relaxed)).contains(.contended) }
      }
    }
  }

  private func change(_ found: Word, to desired: Word) -> Bool {
    word.compareExchange(expected: found.bits, desired: desired.bits, ordering: .acquiring).exchanged
  }

  /// Releases the lock, and sets the other bits of the word.
  @inlinable @inline(__always)
  package final func unlock(_ left: Word) {
    if Word(word.exchange(left.bits, ordering: .releasing)).contains(.contended) { wakeOthers() }
    #if STREAMS_EXPLORE
      releaseExploredLock()
    #endif
  }

  /// Indicates whether a thread has the lock.
  @usableFromInline
  package final var isLocked: Bool { Word(word.load(ordering: .relaxed)).contains(.locked) }

  @usableFromInline @inline(never)
  package final func wakeOthers() { Platform.WaitQueue.of(self).wake() }

  /// Indicates whether the thread that sends the values of a broadcast may deliver without the lock.
  @inlinable @inline(__always)
  package final var isLent: Bool {
    #if STREAMS_EXPLORE
      acquireExploredLock()
      defer { releaseExploredLock() }
    #endif
    return Word(word.load(ordering: .acquiring)) == .lent
  }

  /// Takes the lock as the thread that sends the values of a broadcast, and the turn, if it has been lent.
  @inlinable @inline(__always)
  package final func lockAsSender(expecting expected: Word = .free) -> Word {
    let found = lock(expecting: expected)
    return found.contains(.lent) ? .free : found
  }

  /// Ends the turn or lends it, unless something has been left since. Returns whether it has ended.
  @inlinable @inline(__always)
  package final func endTurn(lends: Bool = false) -> Bool {
    #if STREAMS_EXPLORE
      acquireExploredLock()
      defer { releaseExploredLock() }
    #endif
    return word.compareExchange(
      expected: Word.turn.bits, desired: (lends ? Word.lent : .free).bits, ordering: .releasing
    ).exchanged
  }

  /// Runs a closure under the lock, and changes nothing that the thread with the turn must know.
  @usableFromInline @inline(__always)
  package final func withLock<Result>(_ body: () -> Result) -> Result {
    let found = lock()
    let result = body()
    unlock(found)
    // The optimizer would otherwise release a result that the caller does not use at its last use, under the lock.
    extendLifetime(result)
    return result
  }
}

/// Ends what ``Gate/enterSourceLevel()`` has begun. A function of the file, because a client would have to keep the engine for a
/// method, and to look up metadata for a static one.
@usableFromInline
package func restoreSourceLevel(_ place: ThreadState.SavedLevel) {
  place.context._withUnsafeGuaranteedRef { $0.level = place.outer }
}
