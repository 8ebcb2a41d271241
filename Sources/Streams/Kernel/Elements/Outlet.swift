/// An outlet as the engine sees it.
///
/// The closures capture nothing; they were made where the subscriber's type is known and get the outlet as their
/// argument. So they run specialised, no table is asked, and there is no cycle.
@usableFromInline
class AnyOutlet {
  @usableFromInline typealias Deliver = (AnyOutlet, Engine) -> Subscribers.Demand
  @usableFromInline typealias Complete = (AnyOutlet, _ isSubstitute: Bool) -> Void
  @usableFromInline typealias Discard = (AnyOutlet, Engine) -> Void

  /// Takes the next element, under the lock, and delivers it outside.
  @usableFromInline final let deliver: Deliver
  /// Delivers the completion, or what the operator ends with in its place.
  @usableFromInline final let complete: Complete
  /// Empties the store.
  @usableFromInline final let discard: Discard
  /// Asks the scheduler for a timer; set before the engine has the outlet, and not changed afterwards.
  @usableFromInline @exclusivity(unchecked) final var armTimer: ((Engine, Alarm) -> Void)?

  @inlinable
  init(deliver: @escaping Deliver, complete: @escaping Complete, discard: @escaping Discard) {
    self.deliver = deliver
    self.complete = complete
    self.discard = discard
  }
}

/// Where elements wait between a source and the moment the engine delivers them, and what delivers them.
///
/// The store and the completion are protected by the lock of the engine that the outlet belongs to. The outlet does not
/// hold the engine: a child holds both, so that the two make no cycle.
@usableFromInline
class Outlet<Downstream: Subscriber>: AnyOutlet {
  @usableFromInline final let downstream: Downstream
  @usableFromInline @exclusivity(unchecked) final var queue = Ring<Downstream.Input>()
  @usableFromInline @exclusivity(unchecked) final var completion = Subscribers.Completion<Downstream.Failure>.finished

  /// Where the elements of single sources wait, for operators that put them together.
  @usableFromInline @exclusivity(unchecked) final var slots: [AnySlot] = []

  /// What makes the error that an operator may end with in place of a source's completion.
  @usableFromInline final let customError: (() -> Downstream.Failure)?

  @inlinable
  init(_ downstream: Downstream, customError: (() -> Downstream.Failure)? = nil) {
    self.downstream = downstream
    self.customError = customError
    super.init(
      deliver: { unsafeDowncast($0, to: Outlet.self).deliver($1) },
      complete: { unsafeDowncast($0, to: Outlet.self).complete(isSubstitute: $1) },
      discard: { unsafeDowncast($0, to: Outlet.self).discard($1) })
  }

  /// Joins an engine and an outlet, and hands downstream the engine as its subscription.
  @inlinable @inline(__always)
  final func install(in engine: Engine, arm: ((Engine, Alarm) -> Void)? = nil) {
    armTimer = arm
    engine.install(self)
    downstream.receive(subscription: engine)
  }

  /// Delivers an element now if nobody else is at work, else leaves it to whoever is.
  @inlinable @inline(__always)
  final func send(_ element: Downstream.Input, from slot: Int, through engine: Engine) {
    if engine.beginDirect(from: slot) {
      // The machine has recorded unlimited demand, to which nothing can be added.
      _ = downstream.receive(element)
      engine.endDirect()
    } else {
      engine.receive(from: slot, store: { queue.append(element) })
    }
  }

  /// Keeps an element, in place of the newest one that waits if the machine says so; that one dies outside the lock.
  @inlinable
  final func replace(with element: Downstream.Input, from slot: Int, through engine: Engine, note: () -> Void = {}) {
    var displaced: Downstream.Input?
    engine.receive(
      from: slot,
      store: {
        queue.append(element)
        note()
      },
      conclude: { displaced = queue.popLast() })
    _ = displaced
  }

  /// Ends a slot with the completion that its source sent.
  @inlinable
  final func end(_ slot: Int, with completion: Subscribers.Completion<Downstream.Failure>, through engine: Engine) {
    switch completion {
    case .finished: engine.end(slot, failed: false)
    case .failure: engine.end(slot, failed: true, store: { self.completion = completion })
    }
  }

  @inlinable
  final func deliver(_ engine: Engine) -> Subscribers.Demand {
    guard let element = engine.guarded({ queue.popFirst() }) else { return .none }
    return downstream.receive(element)
  }

  @inlinable
  final func complete(isSubstitute: Bool) {
    guard isSubstitute else { return downstream.receive(completion: completion) }
    downstream.receive(completion: customError.map { .failure($0()) } ?? .finished)
  }

  @inlinable
  final func discard(_ engine: Engine) {
    _ = engine.guarded { queue.takeAll() }
    for slot in engine.guarded({ slots }) { slot.discard(engine) }
  }
}

/// A slot without the type of its elements.
@usableFromInline
class AnySlot {
  @inlinable
  init() {}

  /// Empties the slot; the elements die outside the lock.
  @usableFromInline
  func discard(_ engine: Engine) {}
}
