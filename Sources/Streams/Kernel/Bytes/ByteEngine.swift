/// A gate with the elements that wait for downstream, and the operator that decides about them.
///
/// It is no generic class: elements are bytes with a layout, and subscribers are behind the closures of a ``ByteReceiver``. So it
/// is compiled once. An operator is a subclass that says what happens to a subscription, an element and a completion.
///
/// Every call from outside is one transition: take the lock, let the operator react, and ``commit(_:)`` or
/// ``Gate/conclude(_:onScheduler:)``. A reaction that consists of one element, while nothing is in its way, is delivered there and
/// then. Anything else is stored, the lock is released, actions are carried out, and what is ready is delivered.
///
/// | event | comes |
/// | --- | --- |
/// | ``connected(_:from:_:)``, ``received(from:_:)``, ``sourceEnded(_:_:_:)`` | while the stream is running |
/// | ``requested(_:_:)``, ``delivered(_:_:)``, ``fired(_:_:)``, ``deliveryBegins(_:)`` | until the stream is over |
/// | ``tearDown(_:)`` | when the stream is over |
@usableFromInline @_fixed_layout
package class ByteEngine: Gate {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs, or by the thread with the turn once
  // the stream is over, when nothing changes them any more.
  /// The elements that wait.
  @exclusivity(unchecked) final var queue = ElementQueue()

  /// How the elements that wait are stored.
  final let layout: ElementLayout

  @inline(__always)
  final var size: ElementSize { layout.size }

  /// The error with which the stream ends, if it does.
  @exclusivity(unchecked) final var failure: (any Error)?

  /// The context of the completion, if contexts are carried: that in which downstream subscribed, until a source ends.
  @exclusivity(unchecked) final var completionContext: ContextSnapshot?

  /// How many elements may wait, if their number is bounded. Constant until the stream is over.
  @exclusivity(unchecked) final var bound: Bound?

  // Exclusive: written under the lock, by the thread with the turn; read with the turn, or under the lock.
  /// Downstream, until the stream is over. Retained by hand, so that a delivery does not retain it.
  @usableFromInline @exclusivity(unchecked) package final var receiver: Unmanaged<ByteReceiver>?

  package init(
    _ receiver: consuming ByteReceiver, _ layout: consuming ElementLayout, _ traits: Traits, _ bound: Bound? = nil
  ) {
    self.receiver = .passRetained(consume receiver)
    self.layout = consume layout
    self.bound = bound
    let traits = bound?.overflow == .wait ? traits.union(.tracksDeliveries) : traits
    super.init(traits) { gate, event in
      let engine = unsafeDowncast(gate, to: ByteEngine.self)
      // Deliveries are nested, and need little of the stack in this way.
      if case .deliver = event { engine.deliverReady() } else { engine.handleEvent(event) }
    }
    if carriesContext { completionContext = .captured() }
  }

  deinit {
    receiver?.release()
    queue.destroy(layout)
  }

  // MARK: What an operator overrides

  /// The name of the operator, as a program calls it: what an inspection prints. It's empty if the engine is a part of the
  /// operator downstream, with which it's inspected.
  package var name: String { "" }

  /// Handles the subscription of a source. Returns the demand to request from it, or `nil` to have it cancelled.
  package func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout ByteReaction
  ) -> Subscribers.Demand? { nil }

  /// Handles an element of a source, which the reaction holds.
  package func received(from slot: Int, _ reaction: inout ByteReaction) {}

  /// Indicates whether the elements of a source have a type. Called in assertions.
  @usableFromInline
  package func receives(_ type: Any.Type, from slot: Int) -> Bool { type == layout.type }

  /// Handles the completion of a source.
  package func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout ByteReaction
  ) {}

  /// Handles a request from downstream, which is part of `reaction.demand` already.
  package func requested(_ more: Subscribers.Demand, _ reaction: inout ByteReaction) {}

  /// Handles the delivery of an element from the queue.
  package func delivered(_ tag: Int, _ reaction: inout ByteReaction) {}

  /// Handles a timer that has fired. Returns what would have disarmed it, which is released without the lock.
  package func fired(_ number: Int, _ reaction: inout ByteReaction) -> TimerObject? { nil }

  /// Decides what is ready, because the scheduler runs the delivery for which it was asked.
  package func deliveryBegins(_ reaction: inout ByteReaction) {}

  /// Cancels the sources, because nothing more of them is needed.
  package func cancelSources(_ reaction: inout ByteReaction) {}

  /// Gives up sources, timers and elements, because nothing more is delivered. By default, only sources.
  package func tearDown(_ reaction: inout ByteReaction) { cancelSources(&reaction) }

  /// Finds out the time at which an element comes, if the engine has the trait ``Gate/Traits/timesElements``. Called without the
  /// lock.
  package var timeOfElement: Instant { Instant(()) }

  /// Asks the scheduler to run work. Called without the lock.
  package func schedule(_ work: ScheduledWork) {}

  /// Opens a slot for a source that an element of another source has become, or returns `nil` if that isn't wanted.
  package func openSlot(_ reaction: inout ByteReaction) -> Int? { nil }

  /// What to request from the outer source in place of a source whose only element has been delivered without a slot; `nil`
  /// if every source needs a slot.
  package var replacement: Subscribers.Demand? { nil }

  /// Calls downstream with an element that has waited. The caller has the turn.
  func sendQueued(_ element: UnsafeMutableRawPointer, tag: Int) -> Subscribers.Demand { send(element) }

  /// Cancels the subscription, if the engine is a branch of a broadcast. Called without the lock.
  package func leave() {}

  /// Returns the name of the operator with its parameters, if it requests only as many elements of a source as it has room
  /// for, without a ``Bound``.
  package func limitingOperator(of slot: Int) -> String? { nil }

  /// Tells what the operator holds and waits for, its sources first. Called under the lock.
  package func inspectContents(_ tell: StreamFact.Tell) {}

  // MARK: Transitions

  /// Handles an element of a source. Returns whether it has been taken from its address.
  @usableFromInline
  package final func receive(_ element: UnsafeMutableRawPointer, from slot: Int) -> Bool {
    if traits.contains(.makesElements) {
      return withUnsafeTemporaryAllocation(byteCount: size.bytes, alignment: 16) {
        receive(element, from: slot, making: $0.baseAddress)
      }
    }
    if traits.contains(.timesElements) {
      return withUnsafePointer(to: timeOfElement) { receive(element, from: slot, at: $0) }
    }
    return receive(element, from: slot, making: nil)
  }

  @inline(__always)
  private func receive(
    _ element: UnsafeMutableRawPointer, from slot: Int, at time: UnsafePointer<Instant>? = nil,
    making made: UnsafeMutableRawPointer? = nil
  ) -> Bool {
    let context = carriesContext ? captureContext() : nil
    let found = lock()
    var reaction = ByteReaction(
      self, found, element, canPass: canPass(found), in: context.map { .passUnretained($0) }, at: time, making: made)
    if phase == .running { received(from: slot, &reaction) }
    let isTaken = commit(reaction)
    extendLifetime(context)
    return isTaken
  }

  /// Indicates whether an element may be delivered as soon as the lock is released.
  @inline(__always)
  final func canPass(_ found: Word) -> Bool {
    found == .free && demand == .unlimited && queue.isEmpty && !traits.contains(.deliversOnScheduler) && !isTrampoline
  }

  /// Ends a transition: releases the lock, and carries out what the reaction asks for. Returns whether the element that arrived
  /// has been taken.
  @inline(__always)
  final func commit(_ reaction: consuming ByteReaction) -> Bool {
    if let element = reaction.direct {
      assert(actions.isEmpty, "a transition that passes an element on asks for an action")
      unlock(.turn)
      // Demand is unlimited, so nothing can be added to it.
      _ = send(element)
      if !endTurn(lends: traits.contains(.lendsTurn)) { deliver() }
    } else if reaction.found != .free || hasWork(false) || !actions.isOnlyScheduling {
      conclude(reaction.found)
    } else {
      // The most frequent actions are carried out here, at a lower cost.
      let (timer, delivers) = (actions.timer.take(), actions.delivers)
      actions.delivers = false
      unlock(.free)
      if let timer { schedule(.timer(timer)) }
      if delivers { schedule(.delivery) }
    }
    return reaction.arrived == nil
  }

  /// Makes a transition that is not made for each element, unless the stream is certain to end.
  final func transition(_ change: (inout ByteReaction) -> Void) {
    let context = carriesContext ? captureContext() : nil
    let found = traits.contains(.lendsTurn) ? lockAsSender() : lock()
    var reaction = ByteReaction(self, found, in: context.map { .passUnretained($0) })
    if phase == .running { change(&reaction) }
    conclude(found)
    extendLifetime(context)
  }

  /// Handles the subscription of a source.
  @usableFromInline
  package final func connect(_ subscription: any Subscription, to slot: Int) {
    let object = storable(subscription)
    var demand: Subscribers.Demand?
    transition { demand = connected(object, from: slot, &$0) }
    guard let demand else { return cancelUnwanted(object) }
    // Not deferred at a trampoline: a fresh subscription has no long chain attached to it yet, and values sent before
    // the request would be lost.
    if demand != .none { subscription.request(demand) }
  }

  /// Handles the completion of a source.
  @usableFromInline
  package final func endSource(_ slot: Int, _ error: (any Error)?) {
    transition { sourceEnded(slot, error.map { .failure($0) } ?? .finished, &$0) }
  }

  /// Opens a slot for a source that an element of another source has become, if it is wanted.
  @usableFromInline
  package final func openSlot() -> Int? {
    var slot: Int?
    transition { slot = openSlot(&$0) }
    return slot
  }

  /// Delivers the only element of a source that needs no slot, if nothing is in its way. If so, it is taken from its address, and
  /// the demand for the outer source is returned.
  @usableFromInline
  package final func deliverOnly(_ element: UnsafeMutableRawPointer) -> Subscribers.Demand? {
    let context = carriesContext ? captureContext() : nil
    let found = lock()
    var reaction = ByteReaction(self, found, element, canPass: canPass(found), in: context.map { .passUnretained($0) })
    let more = phase == .running && reaction.canPass ? replacement : nil
    if more != nil { reaction.emit() }
    _ = commit(reaction)
    extendLifetime(context)
    return more
  }

  /// Makes the transition for which a scheduler was asked.
  private func runScheduled(_ work: ScheduledWork) {
    var firedTimer: TimerObject?
    let found = lock()
    var reaction = ByteReaction(self, found)
    switch work {
    case _ where phase == .over: break
    case .timer(let number): firedTimer = fired(number, &reaction)
    case .delivery:
      isScheduled = false
      deliveryBegins(&reaction)
      reaction.setCompletionReady()
    }
    if found == .free, actions.isEmpty, !isTrampoline, hasWork(true) {
      // The most frequent case, at a lower cost.
      deliverReady()
    } else {
      conclude(found, onScheduler: true)
    }
    extendLifetime(firedTimer)
  }

  /// Handles an event of the gate, other than a delivery.
  private func handleEvent(_ event: Event) {
    switch event {
    case .requested(let more): handleUnderLock { requested(more, &$0) }
    case .delivered(let tag): handleUnderLock { delivered(tag, &$0) }
    case .ended: handleUnderLock { tearDown(&$0) }
    case .schedule(let work): schedule(work)
    case .run(let work): runScheduled(work)
    case .cancel: leave()
    case .deliver: assertionFailure("a delivery is handled by the engine's closure")
    }
  }

  /// Handles an event that is part of a transition.
  @inline(__always)
  private func handleUnderLock(_ change: (inout ByteReaction) -> Void) {
    assert(isLocked, "a part of a transition is handled without the lock")
    var reaction = ByteReaction(self, .free)
    change(&reaction)
  }

  // MARK: Elements

  /// Captures the context of the caller, reusing the newest element's snapshot if it is the same. Called without the lock,
  /// because it may run code of a user.
  @inline(never)
  final func captureContext() -> ContextSnapshot? {
    .captured(
      like: withLock {
        queue.isEmpty ? nil : queue.header(queue.count &- 1, size).context?.takeUnretainedValue()
      })
  }

  /// Appends an element, which is taken. Called under the lock.
  @inline(__always)
  final func append(_ element: UnsafeMutableRawPointer, tag: Int, _ context: Unmanaged<ContextSnapshot>?) {
    queue.append(element, tag: tag, context, size)
    assert(notes(waiting: queue.count))
  }

  /// Removes an element that waits. Returns its tag, and what to release without the lock. Called under the lock.
  final func removeElement(at offset: Int) -> (Int, AnyObject?) {
    withUnsafeTemporaryAllocation(byteCount: size.bytes, alignment: 16) { place in
      let element = place.baseAddress.unsafelyUnwrapped
      let header = queue.remove(at: offset, to: element, size)
      var dropped: AnyObject?
      if !layout.isTrivial || header.context != nil {
        var queue = ElementQueue()
        queue.append(element, tag: 0, header.context, size)
        header.context?.release()
        dropped = GivenUpElements(queue, layout)
      }
      return (header.tag, dropped)
    }
  }

  /// Calls downstream with the element at an address, which is taken. The caller has the turn.
  @inline(__always)
  final func send(_ element: UnsafeMutableRawPointer) -> Subscribers.Demand {
    guard let receiver else { stopAtLateDelivery() }
    return receiver._withUnsafeGuaranteedRef { $0.receiveElement($0, element) }
  }

  /// Delivers what is ready, until nothing is left or another thread has taken the turn over. The caller has the turn, and
  /// holds the lock.
  @inline(never)
  final func deliverReady() {
    withUnsafeTemporaryAllocation(byteCount: size.bytes, alignment: 16) { place in
      let element = place.baseAddress.unsafelyUnwrapped
      var burst = Burst()
      var next: ElementQueue.Header?
      deliverAll(&burst, &next, element)
      // Binding a context costs more than a delivery, so deliveries under the same context are made together.
      while let context = next?.context?.takeUnretainedValue() {
        context.run { deliverAll(&burst, &next, element, in: context) }
      }
    }
  }

  /// Delivers `element`, if `next` is its header, and then what is ready. An element that has to be delivered under another
  /// context is left in `element`.
  private func deliverAll(
    _ burst: inout Burst, _ next: inout ElementQueue.Header?, _ element: UnsafeMutableRawPointer,
    in current: ContextSnapshot? = nil
  ) {
    if let header = next.take() { deliverUnlocked(element, header) }
    while true {
      switch nextStep(&burst, isEmpty: queue.isEmpty) {
      case .lookAgain: continue
      case .element:
        let header = queue.removeFirst(to: element, size)
        unlock(.turn)
        if let context = header.context, context.toOpaque() != current.map({ Unmanaged.passUnretained($0).toOpaque() })
        {
          next = header
          return
        }
        deliverUnlocked(element, header)
      case .completion:
        complete()
        lockWithTurn()
      case .release: return releaseAll()
      case .none: return
      }
    }
  }

  /// Delivers an element without the lock, and takes the lock. The caller has the turn.
  @inline(__always)
  private func deliverUnlocked(_ element: UnsafeMutableRawPointer, _ header: ElementQueue.Header) {
    let more = sendQueued(element, tag: header.tag)
    // Released before the lock is taken.
    header.context?.release()
    lockWithTurn()
    if phase == .over { return }
    if more != .none { addDemand(more) }
    if traits.contains(.tracksDeliveries) { handleUnderLock { delivered(header.tag, &$0) } }
  }

  /// Sends the completion. The caller has the turn.
  @inline(never)
  private func complete() {
    // A closure of a user, which is called without the lock.
    if makesError, let error = bound?.makeError?() { failure = error }
    if let completionContext { completionContext.run { sendCompletion() } } else { sendCompletion() }
  }

  private func sendCompletion() {
    guard let receiver else { stopAtLateDelivery() }
    let receiveEvent = receiver._withUnsafeGuaranteedRef { $0.receiveEvent }
    receiveEvent(receiver.takeUnretainedValue(), .completion(failure.map { .failure($0) } ?? .finished))
  }

  /// Releases all that the engine holds, and the lock. The caller keeps the turn, so nothing is delivered any more.
  @inline(never)
  final func releaseAll() {
    let elements = queue.takeAll()
    let receiver = receiver
    self.receiver = nil
    let bound = bound.take()
    unlock(.turn)
    receiver?.release()
    elements.destroy(layout)
    extendLifetime(bound)
  }

  // MARK: Inspection

  override func inspect(_ tell: StreamFact.Tell) {
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

  override func limit(of slot: Int) -> (operatorName: String?, subscriber: Any?) {
    withLock {
      let name = limitingOperator(of: slot) ?? (bound?.overflow == .wait ? bound?.operatorName : nil)
      return (name, receiver?.takeUnretainedValue().inspected)
    }
  }

  override func reportWaiting() {
    let (isBounded, name, receiver) = withLock {
      ((bound?.size ?? .max) < .max, self.name, self.receiver?.takeUnretainedValue())
    }
    if isBounded { return }
    StreamWarnings.reportWaiting(in: name, for: receiver.map { "\(type(of: $0.inspected))" } ?? "nobody")
  }
}

extension ByteEngine {
  /// Applies the bound to a new element. Returns whether to keep the element.
  ///
  /// Elements that are promised take no room, and are not dropped. They are at the front of the queue.
  package final func makesRoom(_ reaction: inout ByteReaction, promised: Int = 0) -> Room {
    guard let bound, reaction.waiting &- promised >= bound.size else { return .some(dropped: nil) }
    switch bound.overflow {
    case .dropNewest: return .none
    case .dropOldest:
      // Without room, the element itself is the oldest one.
      if bound.size == 0 { return .none }
      return .some(dropped: reaction.dropOldest(after: promised))
    case .fail:
      reaction.finishMakingError()
      cancelSources(&reaction)
      return .none
    case .cancel:
      reaction.endEarly(with: .finished)
      cancelSources(&reaction)
      return .none
    // Keep it, even though it wasn't requested.
    case .wait: return .some(dropped: nil)
    }
  }

  /// What a bound says about a new element.
  package enum Room {
    /// There is none for it.
    case none
    /// It may wait. Another element may have been dropped, which had a tag.
    case some(dropped: Int?)
  }
}
