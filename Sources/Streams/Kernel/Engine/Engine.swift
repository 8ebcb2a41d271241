public import Synchronization

/// The subscription that downstream receives: a lock, the turn to deliver, the waiting elements, and the operator that decides
/// about them.
///
/// - A *transition* changes the state under the lock, and adds the ``Action``s that follow from it. The thread that made the
///   transition carries them out after it has released the lock.
/// - The *turn* is the right to call downstream. One thread at a time has it, and never holds the lock while it delivers. A
///   thread that adds work while another has the turn marks the word as *dirty*, so the other looks again before it ends its
///   turn. So no thread waits for a delivery.
///
/// Both are bits of one ``Word``, so a delivery needs three atomic instructions: one that takes the lock, one that exchanges it
/// for the turn, and one that ends the turn if nothing was left in between.
///
/// Every call from outside is one transition: take the lock, let the operator react, and ``commit(_:)`` or
/// ``conclude(_:onScheduler:)``. If the reaction is a single element with nothing in its way, the element is delivered right
/// away. Otherwise, elements are stored, the lock is released, actions are carried out, and ready elements are delivered.
///
/// An engine isn't a generic class, so it's compiled once: elements are bytes with a layout, and subscribers are behind
/// the closures of a ``Receiver``. An operator is a subclass that handles subscriptions, elements and completions.
///
/// | event | comes |
/// | --- | --- |
/// | ``connected(_:from:_:)``, ``received(from:_:)``, ``sourceEnded(_:_:_:)`` | while the stream is running |
/// | ``requested(_:_:)``, ``delivered(_:_:)``, ``fired(_:_:)``, ``deliveryBegins(_:)`` | until the stream is over |
/// | ``tearDown(_:)`` | when the stream is over |
@usableFromInline
package class Engine: Subscription {
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
    /// Nothing more is accepted. The waiting elements are delivered, then the completion.
    case finishing
    /// Nothing more is accepted. The requested elements are delivered, then the completion.
    case endingEarly
    /// Nothing more is delivered, except a completion that's on its way.
    case over
  }

  #if STREAMS_EXPLORE
    @usableFromInline package final let word = Atomic<UInt8>(ofLock: 0)
  #else
    @usableFromInline package final let word: Atomic<UInt8>
  #endif

  /// The special traits of an engine. Most engines don't have any.
  package struct Traits: OptionSet {
    package let rawValue: UInt8

    @_transparent
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The engine delivers only in work that a scheduler runs, which ``Engine/schedule(_:)`` asks for.
    @_transparent package static var deliversOnScheduler: Traits { Traits(rawValue: 1) }
    /// ``Engine/delivered(_:_:)`` is called for each delivery from the queue. An engine that requests only as many elements as
    /// its bound has room for also has this trait.
    @_transparent package static var tracksDeliveries: Traits { Traits(rawValue: 2) }
    /// The engine is the subscription of one subscriber of a broadcast, and lends its turn to the broadcast (``Word/lent``).
    @_transparent package static var lendsTurn: Traits { Traits(rawValue: 4) }
    /// The engine doesn't attach sources, so its level is 0.
    @_transparent package static var isSource: Traits { Traits(rawValue: 8) }
    /// The engine needs to know when an element arrives.
    @_transparent package static var timesElements: Traits { Traits(rawValue: 16) }
    /// The engine creates new elements from the ones that arrive.
    @_transparent package static var makesElements: Traits { Traits(rawValue: 32) }
    /// The engine needs to know when a signal other than an element arrives, if ``Engine/needsTime(of:)`` returns true for it.
    @_transparent package static var timesSignals: Traits { Traits(rawValue: 64) }
  }

  package final let traits: Traits

  /// Indicates whether this engine is a trampoline (``ThreadState``).
  @usableFromInline package final let isTrampoline: Bool

  private let contexts: Atomic<Bool>

  /// Indicates whether waiting elements carry their sender's context.
  package final var carriesContext: Bool { contexts.load(ordering: .relaxed) }

  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @usableFromInline @exclusivity(unchecked) package final var phase = Phase.running

  /// Indicates whether scheduled work has yet to start.
  @exclusivity(unchecked) package final var isScheduled = false

  /// Indicates whether the stream ends with the operator's own error.
  @exclusivity(unchecked) package final var makesError = false

  /// Downstream's demand that no delivery has met yet.
  @exclusivity(unchecked) package final var demand = Subscribers.Demand.none

  /// The number of elements at the front of the queue that may be delivered.
  @exclusivity(unchecked) package final var ready = 0

  /// The actions of the current transition, to be carried out without the lock.
  @exclusivity(unchecked) package final var actions = Actions()

  /// The state for handing the turn over to another thread.
  @exclusivity(unchecked) package final var handover = Handover()

  // Declared here, where the alignment of fields leaves room for them.
  /// The time at which work was last scheduled, in hundredths of a second since observation began, or 0 without observation. It
  /// wraps around after eleven minutes.
  private final let scheduledTime = Atomic<UInt16>(0)
  private final let storedLevel: Int32

  /// Makes elements enqueued from now on carry their sender's context.
  final func carryContexts() { contexts.store(true, ordering: .relaxed) }

  /// The number of engines between this one and the downstream end of the chain.
  final var level: Int { Int(storedLevel) }

  /// Notes that work is being scheduled, if streams are observed. Called without the lock.
  package final func noteSchedule() {
    if RuntimeFeatures.includes(.observed) {
      let time = UInt16(truncatingIfNeeded: StreamObserver.time.load(ordering: .relaxed) / 10)
      scheduledTime.store(max(1, time), ordering: .relaxed)
    }
  }

  /// Tells an inspection that scheduled work has yet to start, and when it was scheduled, if known.
  package final func tellSchedule(_ tell: StreamFact.Tell) {
    if isScheduled { tell(.scheduled, Int(scheduledTime.load(ordering: .relaxed)), nil) }
  }

  // Exclusive: accessed only under the lock, which is never held while unknown code runs, or by the thread with the turn once
  // the stream is over, when nothing changes them anymore.
  @exclusivity(unchecked) final var queue = ElementQueue()

  final let layout: ElementLayout

  @inline(__always)
  final var size: ElementSize { layout.size }

  /// The error that the stream fails with, if it does.
  @exclusivity(unchecked) final var failure: (any Error)?

  /// The context of the completion, if contexts are carried: the one in which downstream subscribed or, once a source has
  /// ended, the one in which it ended.
  @exclusivity(unchecked) final var completionContext: ContextSnapshot?

  /// The bound on the number of elements that may wait, if there's one. Constant until the stream is over.
  @exclusivity(unchecked) final var bound: Bound?

  // Exclusive: written under the lock by the thread with the turn, and read with the turn or under the lock.
  /// Downstream, until the stream is over. Retained manually, so a delivery doesn't retain it.
  @usableFromInline @exclusivity(unchecked) package final var receiver: Unmanaged<Receiver>?

  package init(
    _ receiver: consuming Receiver, _ layout: consuming ElementLayout, _ traits: Traits, _ bound: Bound? = nil
  ) {
    self.receiver = .passRetained(consume receiver)
    self.layout = consume layout
    self.bound = bound
    self.traits = bound?.overflow == .wait ? traits.union(.tracksDeliveries) : traits
    let level = traits.contains(.isSource) ? 0 : ThreadState.level
    storedLevel = Int32(level)
    isTrampoline = level % ThreadState.segment == ThreadState.segment - 1
    contexts = Atomic(ContextCarrier.isAny)
    // A branch is held back until its subscriber has received the subscription.
    let initial = traits.contains(.lendsTurn) ? Word.turn : .free
    #if STREAMS_EXPLORE
      word.store(initial.bits, ordering: .relaxed)
    #else
      word = Atomic(initial.bits)
    #endif
    if carriesContext { completionContext = .captured() }
  }

  deinit {
    receiver?.release()
    queue.destroy(layout)
  }

  // MARK: What an operator overrides

  /// The name by which a program calls the operator, printed by inspection. It's empty if the engine is a part of the operator
  /// downstream and inspected together with it.
  package var name: String { "" }

  /// Handles the subscription of a source. Returns the demand to request, or `nil` to cancel the subscription.
  package func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? { nil }

  /// Handles an element from a source. The reaction holds the element.
  package func received(from slot: Int, _ reaction: inout Reaction) {}

  /// Indicates whether the elements of a source have the given type. Called in assertions.
  @usableFromInline
  package func receives(_ type: Any.Type, from slot: Int) -> Bool { type == layout.type }

  /// Handles the completion of a source.
  package func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {}

  /// Handles a request from downstream, which `reaction.demand` already includes.
  package func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {}

  /// Handles the delivery of an element from the queue.
  package func delivered(_ tag: Int, _ reaction: inout Reaction) {}

  /// Handles a timer that has fired. Returns its object, which is released without the lock.
  package func fired(_ number: Int, _ reaction: inout Reaction) -> TimerObject? { nil }

  /// Determines which elements are ready when the scheduler runs a delivery.
  package func deliveryBegins(_ reaction: inout Reaction) {}

  /// Cancels the sources, which are no longer needed.
  package func cancelSources(_ reaction: inout Reaction) {}

  /// Cancels sources and timers and discards elements, because nothing more is delivered. By default, only cancels sources.
  package func tearDown(_ reaction: inout Reaction) { cancelSources(&reaction) }

  /// Indicates whether an engine with the trait ``Engine/Traits/timesSignals`` needs to know when such signals arrive. Finding
  /// out has a cost, and a scheduler that isn't needed must not be asked for the time.
  package func needsTime(of signal: Signal) -> Bool { false }

  /// The current time, at which a signal arrives. Read without the lock.
  package var time: Instant { Instant(()) }

  /// Asks the scheduler to run work. Called without the lock.
  package func schedule(_ work: ScheduledWork) {}

  /// Opens a slot for a source created from an element of another source. Returns `nil` if the source isn't wanted.
  package func openSlot(_ reaction: inout Reaction) -> Int? { nil }

  /// The demand for the outer source when a source's only element has been delivered without a slot, or `nil` if every
  /// source needs a slot.
  package var replacement: Subscribers.Demand? { nil }

  /// Calls downstream with an element that has waited. The caller has the turn.
  func sendQueued(_ element: UnsafeMutableRawPointer, tag: Int) -> Subscribers.Demand { send(element) }

  /// Cancels the subscription, if the engine is a branch of a broadcast. Called without the lock.
  package func leave() {}

  /// Returns the name of the operator with its parameters, if it requests only as many elements of a source as it has room for,
  /// without a ``Bound``. The name is empty if a subject's values are meant to be dropped until another source sends a value.
  package func limitingOperator(of slot: Int) -> String? { nil }

  /// Tells an inspection what the operator holds and waits for, its sources first. Called under the lock.
  package func inspectContents(_ tell: StreamFact.Tell) {}

  // MARK: Inspection

  /// Tells an inspection what the engine holds and waits for. Takes the lock.
  func inspect(_ tell: StreamFact.Tell) {
    let found = lock()
    tell(.operatorName, 0, StreamFact.Box(name))
    tell(.demand, Int(bitPattern: demand.rawValue), nil)
    switch phase {
    case .running: break
    case .awaitingScheduler, .finishing, .endingEarly: tell(.finishing, 0, nil)
    case .over: tell(.over, 0, nil)
    }
    if found.hasTurn, phase != .over { tell(.delivering, 0, nil) }
    tellSchedule(tell)
    tell(.waiting, queue.count, nil)
    if ready > 0 { tell(.ready, ready, nil) }
    tell(.capacity, queue.capacity, nil)
    if let receiver = receiver?.takeUnretainedValue() {
      tell(.senderType, unsafeBitCast(type(of: receiver), to: Int.self), nil)
      tell(.subscriber, 0, StreamFact.Box(receiver.inspected))
    }
    if let bound { tell(.bound, bound.size, nil) }
    inspectContents(tell)
    unlock(found)
  }

  /// Returns the subscriber, and the operator's name if the operator requests only as many elements of a source as it has room
  /// for.
  final func limit(of slot: Int) -> (operatorName: String?, subscriber: Any?) {
    withLock {
      let name = limitingOperator(of: slot) ?? (bound?.overflow == .wait ? bound?.operatorName : nil)
      return (name, receiver?.takeUnretainedValue().inspected)
    }
  }

  func reportWaiting() {
    let (isBounded, name, receiver) = withLock {
      ((bound?.size ?? .max) < .max, self.name, self.receiver?.takeUnretainedValue())
    }
    if isBounded { return }
    StreamWarnings.reportWaiting(in: name, for: receiver.map { "\(type(of: $0.inspected))" } ?? "nobody")
  }
}
