/// An outlet as the engine sees it.
///
/// The closure captures nothing; it was made where the subscriber's type is known and gets the outlet as its argument. So
/// what it calls is specialised, no table is asked, and there is no cycle.
@usableFromInline @_fixed_layout
class AnyOutlet {
  @usableFromInline typealias Act = (AnyOutlet, Engine, OutletAction) -> Subscribers.Demand
  @usableFromInline typealias Schedule = (Engine, Alarm?) -> Void

  /// Does what the engine wants done where the types are known.
  @usableFromInline final let act: Act

  @inlinable
  init(act: @escaping Act) { self.act = act }

  /// Makes a delivery: takes elements under the lock, and delivers them outside; returns what else downstream asks for, or,
  /// of elements that are due, whether the caller has to go on.
  final func deliver(_ delivery: Delivery, for engine: Engine) -> Subscribers.Demand {
    act(self, engine, .deliver(delivery))
  }

  /// Asks the scheduler for a timer, or for a drain when there is no alarm.
  @usableFromInline
  func schedule(_ alarm: Alarm?, for engine: Engine) {}

  /// Empties the store, and lets go of the subscriber.
  final func discard(for engine: Engine) { _ = act(self, engine, .discard) }
}

/// What an outlet does besides passing elements on.
@usableFromInline
enum OutletAction {
  /// Makes a delivery.
  case deliver(Delivery)
  /// Empties the store, and lets go of the subscriber.
  case discard
  /// Passes the completion that is stored on to the subscriber.
  case complete
  /// Lets go of the subscriber.
  case letGo
}

/// Where elements wait between a source and the moment the engine delivers them.
///
/// It knows the kinds of elements and errors, not the subscriber, which is in a ``SubscriberOutlet``: so what stands between
/// the source and the outlet is compiled once for each kind of elements, whatever follows downstream.
///
/// The store and the completion are protected by the lock of the engine that the outlet belongs to. The outlet does not
/// hold the engine: a child holds both, so that the two make no cycle.
@usableFromInline @_fixed_layout
class Outlet<Element, Failure: Error>: AnyOutlet {
  @usableFromInline typealias Receive = (Outlet, Element) -> Subscribers.Demand

  /// Calls the subscriber. Made like ``AnyOutlet/act``.
  @usableFromInline final let receive: Receive

  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @usableFromInline @exclusivity(unchecked) final var queue = Ring<Element>()
  @usableFromInline @exclusivity(unchecked) final var completion = Subscribers.Completion<Failure>.finished

  /// What else is emptied with the outlet: where the elements of single sources wait, for operators that put them together.
  @usableFromInline @exclusivity(unchecked) final var slots: AnySlot?

  @inlinable
  init(receive: @escaping Receive, act: @escaping Act) {
    self.receive = receive
    super.init(act: act)
  }

  /// Has something emptied with the outlet; called with the lock held, or before anybody else knows the outlet.
  @inlinable
  final func keep(_ slot: AnySlot) {
    slot.next = slots
    slots = slot
  }

  /// Keeps what makes the error that the operator may end with in place of a source's completion, if there is anything.
  @inlinable
  final func keep(_ customError: (() -> Failure)?, for engine: Engine) {
    if let customError { engine.guarded { keep(ErrorSlot(customError)) } }
  }

  /// Delivers an element. Only whoever the engine has made its performer may do that, and nobody lets go of the
  /// subscriber meanwhile.
  @inlinable @inline(__always)
  final func pass(_ element: Element) -> Subscribers.Demand { receive(self, element) }

  /// Delivers an element now if nobody else is at work, else leaves it to whoever is.
  @inlinable @inline(__always)
  final func send(_ element: Element, from slot: Int, through engine: Engine) {
    if !sendDirect(element, from: slot, through: engine) { sendLater(element, from: slot, through: engine) }
  }

  /// Leaves an element to whoever is at work, or asks the machine about it.
  ///
  /// A function of its own, so that what most elements pass stays small.
  @inlinable @inline(never)
  final func sendLater(_ element: Element, from slot: Int, through engine: Engine) {
    engine.receive(from: slot, store: { queue.append(element) })
  }

  /// Delivers an element now if nobody else is at work and nothing waits; returns whether it did.
  @inlinable @inline(__always)
  final func sendDirect(_ element: Element, from slot: Int, through engine: Engine) -> Bool {
    guard engine.beginDirect(from: slot) else { return false }
    // The machine has recorded unlimited demand, to which nothing can be added.
    _ = pass(element)
    engine.endDirect()
    return true
  }

  /// Puts an element behind those that wait; `drain` asks the scheduler for a drain.
  @inlinable @inline(__always)
  final func enqueue(
    _ element: Element, through engine: Engine, note: () -> Void = {}, drain: () -> Void
  ) {
    let outcome = engine.queueDirect {
      queue.append(element)
      note()
    }
    if outcome == .queuedFirst {
      drain()
    } else if outcome == .refused {
      enqueueLater(element, through: engine, note: note)
    }
  }

  @inlinable @inline(never)
  final func enqueueLater(_ element: Element, through engine: Engine, note: () -> Void) {
    engine.receive(
      from: 0,
      store: {
        queue.append(element)
        note()
      })
  }

  /// Keeps an element, in place of the newest one that waits if the machine says so; that one dies outside the lock.
  @inlinable @inline(__always)
  final func replace(with element: Element, through engine: Engine, note: () -> Void = {}) {
    var displaced: Element?
    let isReplaced = engine.replaceDirect {
      displaced = queue.replaceFirst(with: element)
      note()
    }
    _ = displaced
    if !isReplaced { replaceLater(with: element, through: engine, note: note) }
  }

  @inlinable @inline(never)
  final func replaceLater(with element: Element, through engine: Engine, note: () -> Void) {
    var displaced: Element?
    engine.receive(
      from: 0,
      store: {
        queue.append(element)
        note()
      },
      displace: { displaced = queue.popLast() })
    _ = displaced
  }

  /// Ends a slot with the completion that its source sent.
  @inlinable @inline(never)
  final func end(_ slot: Int, with completion: Subscribers.Completion<Failure>, through engine: Engine) {
    end(at: { slot }, with: completion, through: engine)
  }

  /// The same where the slot is known only under the lock.
  @inlinable
  final func end(at slot: () -> Int, with completion: Subscribers.Completion<Failure>, through engine: Engine) {
    switch completion {
    case .finished: engine.end(slot(), failed: false)
    case .failure: engine.end(slot(), failed: true, store: { self.completion = completion })
    }
  }

  /// Does what has to do with the store.
  ///
  /// Never inlined: it is there once for each kind of elements.
  @inlinable @inline(never)
  final func actOnStore(_ action: OutletAction, _ engine: Engine) -> Subscribers.Demand {
    switch action {
    case .deliver(.element):
      guard let element = engine.guarded({ queue.popFirst() }) else { return .none }
      return pass(element)
    case .deliver(.substitute): substituteCompletion()
    case .discard:
      empty(engine)
      return act(self, engine, .letGo)
    case .deliver(.completion), .deliver(.due), .complete, .letGo: break
    }
    return act(self, engine, .complete)
  }

  /// Makes the completion that the operator ends the stream with, in place of a source's.
  @inlinable @inline(never)
  final func substituteCompletion() {
    var slot = slots
    while let next = slot, !(next is ErrorSlot<Failure>) { slot = next.next }
    completion = (slot as? ErrorSlot<Failure>).map { .failure($0.makeError()) } ?? .finished
  }

  @inlinable @inline(__always)
  final func empty(_ engine: Engine) {
    if engine.guarded({ queue.capacity > 0 || slots != nil }) { discardElements(engine) }
  }

  // Not inlined, nor compiled for each kind of elements: it runs once.
  @usableFromInline
  final func discardElements(_ engine: Engine) {
    _ = engine.guarded { queue.takeAll() }
    // A list whose parts live as long as the outlet.
    var slot = engine.guarded { slots }
    while let next = slot {
      next.discard(engine)
      slot = next.next
    }
  }
}

/// An outlet with its subscriber.
@usableFromInline @_fixed_layout
class SubscriberOutlet<Downstream: Subscriber>: Outlet<Downstream.Input, Downstream.Failure> {
  /// Who gets the elements; let go of at the end, since a source may keep its subscriber, which has this outlet.
  // Exclusive: called by whoever the engine has made its performer, and let go of when there is none any more.
  @usableFromInline @exclusivity(unchecked) final var held: Held<Downstream>?

  @inlinable
  init(_ downstream: Downstream, act: @escaping Act) {
    held = Held(downstream)
    super.init(
      receive: { outlet, element in unsafeDowncast(outlet, to: SubscriberOutlet.self).call(element) }, act: act)
  }

  @inlinable @inline(__always)
  final func act(_ action: OutletAction, _ engine: Engine) -> Subscribers.Demand {
    switch action {
    case .complete: callWithCompletion()
    case .letGo:
      var gone: Held<Downstream>?
      swap(&gone, &held)
    case .deliver, .discard: return actOnStore(action, engine)
    }
    return .none
  }

  @inlinable @inline(__always)
  final func call(_ element: Downstream.Input) -> Subscribers.Demand {
    switch held {
    case .some(let held): held.receive(element)
    case .none: stopAtLateDelivery()
    }
  }

  @inlinable @inline(__always)
  final func callWithCompletion() {
    switch held {
    case .some(let held): held.receive(completion: completion)
    case .none: stopAtLateDelivery()
    }
  }
}

/// The outlet of an operator that delivers on a scheduler, or has to do with time.
@usableFromInline @_fixed_layout
final class ScheduledOutlet<Downstream: Subscriber>: SubscriberOutlet<Downstream> {
  /// Asks the scheduler for a timer, or for a drain when there is no alarm. It does not hold the outlet, which has it.
  @usableFromInline let schedule: Schedule

  @inlinable
  init(_ downstream: Downstream, schedule: @escaping Schedule) {
    self.schedule = schedule
    super.init(downstream) { outlet, engine, action in
      let outlet = unsafeDowncast(outlet, to: ScheduledOutlet.self)
      // Here each element is delivered like that.
      if case .deliver(.due) = action { return outlet.deliverDue(engine) }
      return outlet.act(action, engine)
    }
  }

  /// Delivers one element after the other; returns `.none` when that was all there is to do, and the caller is no longer the
  /// performer.
  @inlinable @inline(__always)
  func deliverDue(_ engine: Engine) -> Subscribers.Demand {
    while true {
      var element: Downstream.Input?
      let hasEnded = engine.endDelivering(unlessDue: { element = queue.removeExistingFirst() })
      if hasEnded { return .none }
      guard let element else { return .max(1) }
      let more = call(element)
      if more != .none { engine.request(more) }
    }
  }

  @usableFromInline
  override func schedule(_ alarm: Alarm?, for engine: Engine) { schedule(engine, alarm) }
}

extension Engine {
  /// Makes the outlet of this engine, and hands downstream the engine as its subscription.
  ///
  /// Never inlined: it is there once for each kind of subscriber.
  @inlinable @inline(never)
  func makeOutlet<Downstream: Subscriber>(for downstream: Downstream) -> SubscriberOutlet<Downstream> {
    let outlet = SubscriberOutlet(downstream) { outlet, engine, action in
      unsafeDowncast(outlet, to: SubscriberOutlet<Downstream>.self).act(action, engine)
    }
    begin(outlet, downstream)
    return outlet
  }

  /// The same for a machine that arms timers or delivers on a scheduler: `schedule` asks that for a timer, or for a drain when
  /// there is no alarm.
  @inlinable @inline(never)
  func makeOutlet<Downstream: Subscriber>(
    for downstream: Downstream, schedule: @escaping AnyOutlet.Schedule
  ) -> ScheduledOutlet<Downstream> {
    let outlet = ScheduledOutlet(downstream, schedule: schedule)
    begin(outlet, downstream)
    return outlet
  }

  @inlinable @inline(__always)
  func begin<Downstream: Subscriber>(_ outlet: SubscriberOutlet<Downstream>, _ downstream: Downstream) {
    install(outlet)
    // Downstream may cancel from inside, and then the outlet lets go of it: the parameter keeps it.
    downstream.vouchForUpstream()
    downstream.receive(subscription: self)
  }
}

/// Stands where the rules of the kernel let nobody come.
@usableFromInline @inline(never)
func stopAtLateDelivery() -> Never {
  stopProgram("Streams called a subscriber that it had let go of, which is a bug of Streams. Please report it.")
}

/// A subscriber that is called where it is, without being retained, and can be let go of all the same.
@usableFromInline @frozen
struct Held<Content: Subscriber>: ~Copyable {
  @usableFromInline let subscriber: Content

  @inlinable
  init(_ subscriber: Content) { self.subscriber = subscriber }

  @inlinable @inline(__always)
  func receive(_ input: Content.Input) -> Subscribers.Demand { subscriber.receive(input) }

  @inlinable @inline(__always)
  func receive(completion: Subscribers.Completion<Content.Failure>) { subscriber.receive(completion: completion) }
}

/// Something that an outlet keeps, without the type of its elements.
@usableFromInline @_fixed_layout
class AnySlot {
  // Exclusive: written once, before anybody else knows the outlet or under the lock of its engine.
  /// What the outlet keeps besides.
  @usableFromInline @exclusivity(unchecked) final var next: AnySlot?

  @inlinable
  init() {}

  /// Empties the slot; the elements die outside the lock.
  @usableFromInline
  func discard(_ engine: Engine) {}
}

/// What makes the error that an operator may end with in place of a source's completion.
@usableFromInline @_fixed_layout
final class ErrorSlot<Failure: Error>: AnySlot {
  @usableFromInline let makeError: () -> Failure

  @inlinable
  init(_ makeError: @escaping () -> Failure) { self.makeError = makeError }
}
