/// An outbox with the machine that decides about its elements.
///
/// Every call from outside is one transition: take the lock, let the machine react, and ``commit(_:)`` or
/// ``Gate/conclude(_:onScheduler:)``. A reaction that
/// consists of one element, while nothing is in its way, is delivered there and then. Anything else is stored, the lock
/// is released, actions are carried out, and the outbox delivers what is ready.
@usableFromInline @_fixed_layout
package class Engine<M: Machine & ~Copyable>: Outbox<M.Output, M.Failure> {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @usableFromInline @exclusivity(unchecked) package final var machine: M

  @inlinable @inline(never)
  package init(_ machine: consuming M, _ receiver: consuming Receiver<M.Output, M.Failure>, _ bound: Bound?) {
    self.machine = machine
    let traits = bound?.overflow == .wait ? M.traits.union(.tracksDeliveries) : M.traits
    super.init(consume receiver, traits, bound) { gate, event in
      let engine = unsafeDowncast(gate, to: Engine.self)
      // Deliveries are nested, and need little of the stack in this way.
      if case .deliver = event { engine.deliverReady() } else { engine.handleEvent(event) }
    }
  }

  /// Sends an engine that has been held back downstream.
  @inlinable @inline(never)
  package final func begin(_ receiver: Receiver<M.Output, M.Failure>) {
    receiver.receive(subscription: self)
    deliver()
  }

  /// Creates an engine, and sends it downstream as the subscription.
  @inlinable @inline(__always)
  package static func make<Downstream: Subscriber>(
    _ machine: consuming M, _ bound: Bound? = nil, for downstream: Downstream
  ) -> Engine where Downstream.Input == M.Output, Downstream.Failure == M.Failure {
    make(machine, bound, SubscriberReceiver(downstream))
  }

  /// Creates an engine, and sends it downstream. Compiled once for each machine, whatever follows downstream.
  @inlinable @inline(never) @_optimize(size)
  package static func make(
    _ machine: consuming M, _ bound: Bound?, _ receiver: Receiver<M.Output, M.Failure>
  ) -> Engine {
    let engine = Engine(machine, receiver, bound)
    receiver.receive(subscription: engine)
    return engine
  }

  // MARK: Transitions

  /// Makes a transition, unless the stream is certain to end.
  @inlinable @inline(__always)
  package final func react(to signal: Signal, _ change: (inout M, inout Reaction<M.Output, M.Failure>) -> Void) {
    let time = M.time(of: signal, for: self)
    let context = carriesContext ? captureContext() : nil
    let found = M.traits.contains(.lendsTurn) ? lockAsSender() : lock()
    var reaction = Reaction<M.Output, M.Failure>(
      self, found,
      canPass: !M.traits.contains(.deliversOnScheduler) && found == .free && demand == .unlimited && queue.isEmpty
        && !isTrampoline,
      context.map { .passUnretained($0) })
    if phase == .running {
      machine.begins(at: time)
      change(&machine, &reaction)
    }
    commit(reaction)
    extendLifetime(context)
  }

  /// Makes a transition that is not made for each element, unless the stream is certain to end. Takes less code than
  /// ``react(to:_:)``.
  @inlinable @inline(__always)
  package final func transition(_ signal: Signal, _ change: (inout M, inout Reaction<M.Output, M.Failure>) -> Void) {
    let time = M.time(of: signal, for: self)
    let context = carriesContext ? captureContext() : nil
    let found = M.traits.contains(.lendsTurn) ? lockAsSender() : lockOutOfLine()
    var reaction = Reaction<M.Output, M.Failure>(self, found, canPass: false, context.map { .passUnretained($0) })
    if phase == .running {
      machine.begins(at: time)
      change(&machine, &reaction)
    }
    conclude(found)
    extendLifetime(reaction.displaced)
    extendLifetime(context)
  }

  /// Makes the transition for which a scheduler was asked.
  @inlinable @inline(__always)
  package final func run(_ work: ScheduledWork, at time: M.Time) {
    var firedTimer: TimerObject?
    let found = lockOutOfLine()
    var reaction = Reaction<M.Output, M.Failure>(self, found)
    switch work {
    case _ where phase == .over: break
    case .timer(let number):
      machine.begins(at: time)
      firedTimer = machine.fired(number, &reaction)
    case .delivery:
      isScheduled = false
      machine.deliveryBegins(&reaction)
      reaction.setCompletionReady()
    }
    if found == .free, actions.isEmpty, !isTrampoline, hasWork(true) {
      // The most frequent case, at a lower cost.
      deliverReady()
    } else {
      conclude(found, onScheduler: true)
    }
    extendLifetime(reaction.displaced)
    extendLifetime(firedTimer)
  }

  /// Ends a transition: releases the lock, and carries out what the reaction asks for.
  @inlinable @inline(__always)
  package final func commit(_ reaction: consuming Reaction<M.Output, M.Failure>) {
    if let element = reaction.direct {
      assert(actions.isEmpty, "a transition that passes an element on asks for an action")
      unlock(.turn)
      // Demand is unlimited, so nothing can be added to it.
      _ = send(element)
      if !endTurn(lends: M.traits.contains(.lendsTurn)) { deliver() }
    } else if reaction.found != .free || hasWork(false) || !actions.isOnlyScheduling {
      conclude(reaction.found)
    } else {
      // The most frequent actions are carried out here, at a lower cost.
      let (timer, delivers) = (actions.timer.take(), actions.delivers)
      actions.delivers = false
      unlock(.free)
      if let timer { M.schedule(.timer(timer), for: self) }
      if delivers { M.schedule(.delivery, for: self) }
    }
    extendLifetime(reaction.displaced)
  }

  /// Handles an event of the gate, other than a delivery.
  @inlinable @inline(__always)
  package final func handleEvent(_ event: Event) {
    switch event {
    case .requested(let more): handleUnderLock { $0.requested(more, &$1) }
    case .delivered(let tag): handleUnderLock { $0.delivered(tag, &$1) }
    case .ended: handleUnderLock { $0.tearDown(&$1) }
    case .schedule(let work): M.schedule(work, for: self)
    case .run(let work):
      // The condition leaves the code out of engines that ask no scheduler.
      assert(M.traits.contains(.deliversOnScheduler), "a scheduler runs work of an engine that delivers without one")
      if M.traits.contains(.deliversOnScheduler) { run(work, at: M.time(of: work.signal, for: self)) }
    case .cancel: M.cancel(self)
    case .deliver: assertionFailure("a delivery is handled by the engine's closure")
    }
  }

  /// Handles an event that is part of a transition.
  @inlinable @inline(__always)
  package final func handleUnderLock(_ change: (inout M, inout Reaction<M.Output, M.Failure>) -> Void) {
    assert(isLocked, "a part of a transition is handled without the lock")
    var reaction = Reaction<M.Output, M.Failure>(self, .free)
    change(&machine, &reaction)
    assert(reaction.displacesNothing, "an element is dropped in an event that is part of another transition")
  }

  // MARK: Inspection

  override func inspect(_ tell: StreamFact.Tell) {
    let found = lock()
    tell(.operatorName, 0, StreamFact.Box(machine.name))
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
    machine.inspect(tell)
    unlock(found)
  }

  override func limit(of slot: Int) -> (operatorName: String?, subscriber: Any?) {
    withLock {
      let name = machine.limitingOperator(of: slot) ?? (bound?.overflow == .wait ? bound?.operatorName : nil)
      return (name, receiver?.takeUnretainedValue().inspected)
    }
  }

  override func reportWaiting() {
    let (isBounded, name, receiver) = withLock {
      ((bound?.size ?? .max) < .max, machine.name, self.receiver?.takeUnretainedValue())
    }
    if isBounded { return }
    StreamWarnings.reportWaiting(in: name, for: receiver.map { "\(type(of: $0.inspected))" } ?? "nobody")
  }
}

extension Engine where M: ~Copyable {
  /// Handles the subscription of a source.
  @inlinable @inline(never) @_optimize(size)
  package final func connect(_ subscription: any Subscription, to slot: Int) {
    let object = storable(subscription)
    var demand: Subscribers.Demand?
    transition(.subscription) { demand = $0.connected(object, from: slot, &$1) }
    guard let demand else { return cancelUnwanted(object) }
    // Not deferred at a trampoline: a fresh subscription has no long chain attached to it yet, and values sent before
    // the request would be lost.
    if demand != .none { subscription.request(demand) }
  }

  /// Handles the completion of a source.
  @inlinable @inline(never) @_optimize(size)
  package final func endSource(_ slot: Int, _ completion: Subscribers.Completion<M.Failure>) {
    transition(.completion) { $0.sourceEnded(slot, completion, &$1) }
  }
}
