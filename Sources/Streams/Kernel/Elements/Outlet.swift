/// An outlet with its element types erased, as the engine sees it.
///
/// The closure ``act`` captures nothing: it is created where the subscriber's type is known and receives the outlet as
/// its argument. It therefore calls specialized code, needs no lookup in a vtable, and forms no reference cycle.
@usableFromInline @_fixed_layout
class AnyOutlet {
  @usableFromInline typealias Act = (AnyOutlet, OldEngine, OldMachine.Delivery, borrowing DrainRole.Holder) ->
    Subscribers.Demand

  /// Makes a delivery for the engine where the types are known: dequeues elements under the lock, and delivers them
  /// outside. Returns the additional demand of downstream.
  @usableFromInline final let act: Act

  @inlinable
  init(act: @escaping Act) { self.act = act }

  final func deliver(
    _ delivery: OldMachine.Delivery, for engine: OldEngine, _ holder: borrowing DrainRole.Holder
  ) -> Subscribers.Demand { act(self, engine, delivery, holder) }

  /// The number of elements for which there is room without more memory.
  var capacity: Int { 0 }

  /// The subscriber. Called under the lock while no thread delivers.
  var subscriber: Any? { nil }
}

/// The store in which elements wait between a source and their delivery by the engine.
///
/// It knows the types of elements and errors, but not of the subscriber, which is stored in a ``SubscriberOutlet``: the
/// code between the source and the outlet is compiled once for each element type, whatever follows downstream.
///
/// The store and the completion are protected by the lock of the engine that the outlet belongs to. The outlet does not
/// hold the engine: a child (the subscriber of a source) holds both, so that the two form no cycle.
@usableFromInline @_fixed_layout
class Outlet<Element, Failure: Error>: AnyOutlet {
  @usableFromInline typealias Receive = (Outlet, Element, borrowing DrainRole.Holder) -> Subscribers.Demand

  /// Calls the subscriber. Created like ``AnyOutlet/act``.
  @usableFromInline final let receive: Receive

  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @usableFromInline @exclusivity(unchecked) final var queue = Ring<Element>()
  @usableFromInline @exclusivity(unchecked) final var completion = Subscribers.Completion<Failure>.finished

  /// A store that is emptied together with the outlet.
  @usableFromInline @exclusivity(unchecked) final var store: AnyStore?

  @inlinable
  init(receive: @escaping Receive, act: @escaping Act) {
    self.receive = receive
    super.init(act: act)
  }

  /// Registers a store that is emptied together with the outlet.
  @inlinable
  final func keep(_ store: AnyStore, for engine: OldEngine) {
    engine.guarded { self.store = store }
  }

  /// Stores the closure that makes the error with which the operator may end in place of a source's completion, if
  /// there is one.
  @inlinable
  final func keep(_ customError: (() -> Failure)?, for engine: OldEngine) {
    if let customError { keep(ErrorStore(customError), for: engine) }
  }

  /// Delivers an element. The subscriber is not released meanwhile.
  @inlinable @inline(__always)
  final func pass(_ element: Element, _ holder: borrowing DrainRole.Holder) -> Subscribers.Demand {
    receive(self, element, holder)
  }

  /// Delivers an element now if no delivery is in progress, or leaves it to the drainer.
  @inlinable @inline(__always)
  final func send(_ element: Element, from slot: OldMachine.Slot, through engine: OldEngine) {
    if !sendDirect(element, from: slot, through: engine) { leave(element, from: slot, through: engine) }
  }

  /// Delivers an element now if no delivery is in progress and no element waits. Returns whether it did.
  @inlinable @inline(__always)
  final func sendDirect(_ element: Element, from slot: OldMachine.Slot, through engine: OldEngine) -> Bool {
    // The machine has recorded unlimited demand, to which nothing can be added.
    engine.deliverDirect(from: slot) { _ = pass(element, $0) }
  }

  /// Asks the machine about an element: leaves it to the drainer, in place of the oldest one that is not promised if the
  /// machine decides so, which is destroyed outside the lock.
  ///
  /// A function of its own, so that the path of most elements stays small.
  @inlinable @inline(never)
  final func leave(_ element: Element, from slot: OldMachine.Slot, through engine: OldEngine) {
    var displaced: Element?
    engine.receive(
      from: slot,
      store: { queue.append(element) },
      displace: { displaced = removeOldest(engine) })
    _ = displaced
  }

  /// Removes the oldest element that is not promised. Called under the lock.
  ///
  /// Not compiled for each element type: few operators of those that leave elements for a slot replace any.
  @usableFromInline @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  final func removeOldest(_ engine: OldEngine) -> Element {
    queue.remove(at: queue.count &- engine.machine.unpromised)
  }

  /// Ends a slot with the completion that its source sent.
  @inlinable @inline(never)
  final func end(_ slot: OldMachine.Slot, with completion: Subscribers.Completion<Failure>, through engine: OldEngine) {
    switch completion {
    case .finished: engine.sourceEnded(slot, failed: false)
    case .failure: engine.sourceEnded(slot, failed: true, store: { self.completion = completion })
    }
  }

  /// Makes the deliveries that involve the store.
  ///
  /// Never inlined: compiled once for each element type.
  @inlinable @inline(never)
  final func actOnStore(
    _ delivery: OldMachine.Delivery, _ engine: OldEngine, _ holder: borrowing DrainRole.Holder
  ) -> Subscribers.Demand {
    switch delivery {
    case .element: if let element = engine.guarded({ queue.popFirst() }) { return pass(element, holder) }
    case .substitute:
      substituteCompletion()
      return act(self, engine, .completion, holder)
    case .discard: if engine.guarded({ queue.capacity > 0 || store != nil }) { discardElements(engine) }
    case .completion, .release: break
    }
    return .none
  }

  /// Makes the completion with which the operator ends the stream, in place of a source's.
  @inlinable @inline(never)
  final func substituteCompletion() {
    completion = (store as? ErrorStore<Failure>).map { .failure($0.makeError()) } ?? .finished
  }

  override final var capacity: Int { queue.capacity }

  // Neither inlined nor compiled for each element type, because it runs once.
  @usableFromInline
  final func discardElements(_ engine: OldEngine) {
    _ = engine.guarded { queue.takeAll() }
    engine.guarded { store }?.discard(engine)
  }
}

/// An outlet with its subscriber.
@usableFromInline @_fixed_layout
class SubscriberOutlet<Downstream: Subscriber>: Outlet<Downstream.Input, Downstream.Failure> {
  /// The subscriber that receives the elements. Released at the end, because a source may keep its own subscriber,
  /// which holds this outlet.
  // Exclusive: accessed only with a `Holder`.
  @usableFromInline @exclusivity(unchecked) final var held: Held?

  /// A subscriber that is called in place, without being retained, and can nevertheless be released early.
  @usableFromInline @frozen
  struct Held: ~Copyable {
    @usableFromInline let subscriber: Downstream

    @inlinable
    init(_ subscriber: Downstream) { self.subscriber = subscriber }

    @inlinable @inline(__always)
    func receive(_ input: Downstream.Input) -> Subscribers.Demand { subscriber.receive(input) }

    @inlinable @inline(__always)
    func receive(completion: Subscribers.Completion<Downstream.Failure>) { subscriber.receive(completion: completion) }
  }

  @inlinable
  init(
    _ downstream: Downstream,
    act: @escaping Act = { outlet, engine, delivery, holder in
      unsafeDowncast(outlet, to: SubscriberOutlet.self).act(delivery, engine, holder)
    }
  ) {
    held = Held(downstream)
    super.init(
      receive: { outlet, element, holder in
        unsafeDowncast(outlet, to: SubscriberOutlet.self).call(element, holder)
      }, act: act)
  }

  override final var subscriber: Any? {
    switch held {
    case .some(let held): held.subscriber
    case .none: nil
    }
  }

  @inlinable @inline(__always)
  final func act(
    _ delivery: OldMachine.Delivery, _ engine: OldEngine, _ holder: borrowing DrainRole.Holder
  ) -> Subscribers.Demand {
    // Not a switch, for which the compiler would make a table for each type.
    if delivery == .completion {
      switch held {
      case .some(let held): held.receive(completion: completion)
      case .none: stopAtLateDelivery()
      }
    } else if delivery == .release {
      var gone: Held?
      swap(&gone, &held)
    } else {
      return actOnStore(delivery, engine, holder)
    }
    return .none
  }

  @inlinable @inline(__always)
  final func call(_ element: Downstream.Input, _ holder: borrowing DrainRole.Holder) -> Subscribers.Demand {
    switch held {
    case .some(let held): held.receive(element)
    case .none: stopAtLateDelivery()
    }
  }
}

extension OldEngine {
  /// Creates the outlet of this engine, and sends downstream the engine as its subscription.
  ///
  /// Never inlined: compiled once for each subscriber type.
  @inlinable @inline(never)
  func makeOutlet<Downstream: Subscriber>(for downstream: Downstream) -> SubscriberOutlet<Downstream> {
    let outlet = SubscriberOutlet(downstream)
    install(outlet)
    begin(downstream)
    return outlet
  }

  @inlinable @inline(__always)
  func begin<Downstream: Subscriber>(_ downstream: Downstream) {
    // Downstream may cancel from within this call, and the outlet then releases it: the parameter retains it.
    downstream.declareUpstreamSerial()
    downstream.receive(subscription: self)
  }
}

/// Stops the program at a point that the rules of the kernel make unreachable.
@usableFromInline @inline(never)
func stopAtLateDelivery() -> Never {
  stopProgram("Streams called a subscriber after releasing it. This is a bug in Streams; please report it.")
}

/// A store that an outlet owns, with its element type erased.
@usableFromInline @_fixed_layout
class AnyStore {
  @inlinable
  init() {}

  /// Empties the store. The elements are destroyed outside the lock.
  @usableFromInline
  func discard(_ engine: OldEngine) {}
}

/// The closure that makes the error with which an operator may end in place of a source's completion.
@usableFromInline @_fixed_layout
final class ErrorStore<Failure: Error>: AnyStore {
  @usableFromInline let makeError: () -> Failure

  @inlinable
  init(_ makeError: @escaping () -> Failure) { self.makeError = makeError }
}
