/// An outlet as the engine sees it.
///
/// The closures capture nothing; they were made where the subscriber's type is known and get the outlet as their
/// argument. So they run specialised, no table is asked, and there is no cycle.
@usableFromInline @_fixed_layout
class AnyOutlet {
  @usableFromInline typealias Deliver = (AnyOutlet, Engine, Delivery) -> Subscribers.Demand
  @usableFromInline typealias Discard = (AnyOutlet, Engine) -> Void
  @usableFromInline typealias Schedule = (Engine, Alarm?) -> Void

  /// Makes a delivery: takes elements under the lock, and delivers them outside; returns what else downstream asks for,
  /// or, of elements that are due, whether the caller has to go on.
  @usableFromInline final let deliver: Deliver
  /// Empties the store.
  @usableFromInline final let discard: Discard
  /// Asks the scheduler for a timer, or for a drain when there is no alarm. It does not hold the outlet, which has it.
  @usableFromInline final let schedule: Schedule?

  @inlinable
  init(deliver: @escaping Deliver, discard: @escaping Discard, schedule: Schedule? = nil) {
    self.deliver = deliver
    self.discard = discard
    self.schedule = schedule
  }
}

/// Where elements wait between a source and the moment the engine delivers them, and what delivers them.
///
/// The store and the completion are protected by the lock of the engine that the outlet belongs to. The outlet does not
/// hold the engine: a child holds both, so that the two make no cycle.
@usableFromInline @_fixed_layout
class Outlet<Downstream: Subscriber>: AnyOutlet {
  /// Who gets the elements; let go of at the end, since a source may keep its subscriber, which has this outlet.
  // Exclusive: called by whoever the engine has made its performer, and let go of when there is none any more.
  @usableFromInline @exclusivity(unchecked) final var held: Held<Downstream>?
  // Exclusive: reached only under the lock of the engine, which runs nothing unknown meanwhile.
  @usableFromInline @exclusivity(unchecked) final var queue = Ring<Downstream.Input>()
  @usableFromInline @exclusivity(unchecked) final var completion = Subscribers.Completion<Downstream.Failure>.finished

  /// Where the elements of single sources wait, for operators that put them together.
  @usableFromInline @exclusivity(unchecked) final var slots: [AnySlot] = []

  /// What makes the error that an operator may end with in place of a source's completion.
  @usableFromInline final let customError: (() -> Downstream.Failure)?

  /// Makes the outlet of an engine, and hands downstream the engine as its subscription.
  ///
  /// `schedule` asks a scheduler for a timer, or for a drain when there is no alarm.
  @inlinable @inline(__always)
  init(
    _ downstream: Downstream, in engine: Engine, customError: (() -> Downstream.Failure)? = nil,
    schedule: Schedule? = nil
  ) {
    held = Held(downstream)
    self.customError = customError
    super.init(
      deliver: { unsafeDowncast($0, to: Outlet.self).deliver($1, $2) },
      discard: { unsafeDowncast($0, to: Outlet.self).discard($1) },
      schedule: schedule)
    engine.install(self)
    // Downstream may cancel from inside, and then the outlet lets go of it: the parameter keeps it.
    downstream.vouchForUpstream()
    downstream.receive(subscription: engine)
  }

  /// A copy of the subscriber, unless that has been let go of.
  @inlinable
  final var subscriber: Downstream? {
    switch held {
    case .some(let held): held.subscriber
    case .none: nil
    }
  }

  /// Delivers an element. Only whoever the engine has made its performer may do that, and nobody lets go of the
  /// subscriber meanwhile.
  @inlinable @inline(__always)
  final func pass(_ element: Downstream.Input) -> Subscribers.Demand {
    switch held {
    case .some(let held): held.receive(element)
    case .none: stopAtLateDelivery()
    }
  }

  @inlinable
  final func pass(_ completion: Subscribers.Completion<Downstream.Failure>) {
    switch held {
    case .some(let held): held.receive(completion: completion)
    case .none: stopAtLateDelivery()
    }
  }

  /// Delivers an element now if nobody else is at work, else leaves it to whoever is.
  @inlinable @inline(__always)
  final func send(_ element: Downstream.Input, from slot: Int, through engine: Engine) {
    if !sendDirect(element, from: slot, through: engine) {
      engine.receive(from: slot, store: { queue.append(element) })
    }
  }

  /// Delivers an element now if nobody else is at work and nothing waits; returns whether it did.
  @inlinable @inline(__always)
  final func sendDirect(_ element: Downstream.Input, from slot: Int, through engine: Engine) -> Bool {
    guard engine.beginDirect(from: slot) else { return false }
    // The machine has recorded unlimited demand, to which nothing can be added.
    _ = pass(element)
    engine.endDirect()
    return true
  }

  /// Puts an element behind those that wait; `drain` asks the scheduler for a drain.
  @inlinable @inline(__always)
  final func enqueue(
    _ element: Downstream.Input, through engine: Engine, note: () -> Void = {}, drain: () -> Void
  ) {
    let outcome = engine.queueDirect {
      queue.append(element)
      note()
    }
    if outcome == .queuedFirst {
      drain()
    } else if outcome == .refused {
      engine.receive(
        from: 0,
        store: {
          queue.append(element)
          note()
        })
    }
  }

  /// Keeps an element, in place of the newest one that waits if the machine says so; that one dies outside the lock.
  @inlinable @inline(__always)
  final func replace(with element: Downstream.Input, through engine: Engine, note: () -> Void = {}) {
    var displaced: Downstream.Input?
    let isReplaced = engine.replaceDirect {
      displaced = queue.replaceFirst(with: element)
      note()
    }
    if !isReplaced {
      engine.receive(
        from: 0,
        store: {
          queue.append(element)
          note()
        },
        displace: { displaced = queue.popLast() })
    }
    _ = displaced
  }

  /// Ends a slot with the completion that its source sent.
  @inlinable
  final func end(
    _ slot: @autoclosure () -> Int, with completion: Subscribers.Completion<Downstream.Failure>, through engine: Engine
  ) {
    switch completion {
    case .finished: engine.end(slot(), failed: false)
    case .failure: engine.end(slot(), failed: true, store: { self.completion = completion })
    }
  }

  @inlinable @inline(__always)
  final func deliver(_ engine: Engine, _ delivery: Delivery) -> Subscribers.Demand {
    if delivery == .due { return deliverDue(engine) }
    if delivery == .element { return deliverNext(engine) }
    complete(isSubstitute: delivery == .substitute)
    return .none
  }

  @inlinable @inline(never)
  final func deliverNext(_ engine: Engine) -> Subscribers.Demand {
    guard let element = engine.guarded({ queue.popFirst() }) else { return .none }
    return pass(element)
  }

  @inlinable @inline(never)
  final func complete(isSubstitute: Bool) {
    guard isSubstitute else { return pass(completion) }
    pass(customError.map { .failure($0()) } ?? .finished)
  }

  /// Delivers one element after the other; returns `.none` when that was all there is to do, and the caller is no
  /// longer the performer.
  @inlinable @inline(__always)
  final func deliverDue(_ engine: Engine) -> Subscribers.Demand {
    while true {
      var element: Downstream.Input?
      let hasEnded = engine.endDelivering(unlessDue: { element = queue.removeExistingFirst() })
      if hasEnded { return .none }
      guard let element else { return .max(1) }
      let more = pass(element)
      if more != .none { engine.request(more) }
    }
  }

  @inlinable
  final func discard(_ engine: Engine) {
    _ = engine.guarded { queue.takeAll() }
    for slot in engine.guarded({ slots }) { slot.discard(engine) }
    var gone: Held<Downstream>?
    swap(&gone, &held)
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

  @inlinable
  func receive(completion: Subscribers.Completion<Content.Failure>) { subscriber.receive(completion: completion) }
}

/// A slot without the type of its elements.
@usableFromInline @_fixed_layout
class AnySlot {
  @inlinable
  init() {}

  /// Empties the slot; the elements die outside the lock.
  @usableFromInline
  func discard(_ engine: Engine) {}
}
