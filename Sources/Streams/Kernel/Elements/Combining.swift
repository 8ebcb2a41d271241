/// A store for the elements of one source that are to be combined with those of others. Protected by the engine's lock.
@usableFromInline
protocol CombiningStore: AnyStore {
  associatedtype Element
  associatedtype Displaced
  /// Keeps an element, and returns what it displaces, to be released outside the lock.
  func keep(_ element: Element) -> Displaced
}

/// A store in which elements wait in order.
@usableFromInline @_fixed_layout
final class QueueStore<Element>: AnyStore, CombiningStore {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @usableFromInline @exclusivity(unchecked) var queue = Ring<Element>()

  @inlinable
  override init() {}

  @inlinable
  func keep(_ element: Element) { queue.append(element) }

  /// Removes the oldest element.
  @inlinable @inline(__always)
  func take() -> Element { queue.removeExistingFirst() }

  @usableFromInline
  override func discard(_ engine: OldEngine) {
    _ = engine.guarded { queue.takeAll() }
  }
}

/// A store that keeps the newest element.
@usableFromInline @_fixed_layout
final class NewestStore<Element>: AnyStore, CombiningStore {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @usableFromInline @exclusivity(unchecked) var newest: Element?

  @inlinable
  override init() {}

  @inlinable
  func keep(_ element: Element) -> Element? {
    var displaced: Element? = element
    swap(&displaced, &newest)
    return displaced
  }

  /// Returns the newest element.
  @inlinable @inline(__always)
  func peek() -> Element { newest.unsafelyUnwrapped }

  /// Removes the newest element.
  @inlinable @inline(__always)
  func take() -> Element { newest.take().unsafelyUnwrapped }

  @usableFromInline
  override func discard(_ engine: OldEngine) {
    _ = engine.guarded { newest.take() }
  }
}

/// A store that keeps nothing: only the fact that its source has sent something matters.
@usableFromInline @_fixed_layout
final class SignalStore<Element>: AnyStore, CombiningStore {
  @inlinable
  override init() {}

  @inlinable
  func keep(_ element: Element) {}
}

/// The common part of operators that combine elements of several sources.
///
/// Unlike the types that other operators have between their sources and the outlet, it knows the subscriber's type: an
/// output is delivered without a call through a closure.
@usableFromInline @frozen
struct Combining<Downstream: Subscriber> {
  @usableFromInline let engine: OldEngine
  @usableFromInline let outlet: SubscriberOutlet<Downstream>

  /// Makes an output of the elements in the stores. Called under the lock, and runs no user code.
  @usableFromInline let combine: () -> Downstream.Input

  @inlinable @inline(__always)
  init(_ downstream: Downstream, in engine: OldEngine, _ combine: @escaping () -> Downstream.Input) {
    self.engine = engine
    self.combine = combine
    outlet = engine.makeOutlet(for: downstream)
  }

  @inlinable @inline(__always)
  func attach<Source: Publisher, Store: CombiningStore>(_ source: Source, _ store: Store, _ slot: OldMachine.Slot)
  where Source.Failure == Downstream.Failure, Store.Element == Source.Output {
    outlet.keep(store, for: engine)
    engine.attach(source, CombinedChild(self, store, slot))
  }
}

/// The subscriber of a source whose elements are combined with those of others.
@usableFromInline @frozen
struct CombinedChild<Store: CombiningStore, Downstream: Subscriber>: EngineChild {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let combining: Combining<Downstream>
  @usableFromInline let store: Store
  @usableFromInline let slot: OldMachine.Slot

  @inlinable
  init(_ combining: Combining<Downstream>, _ store: Store, _ slot: OldMachine.Slot) {
    self.combining = combining
    self.store = store
    self.slot = slot
  }

  @inlinable
  var engine: OldEngine { combining.engine }

  @inlinable
  var outlet: Outlet<Downstream.Input, Failure> { combining.outlet }

  @inlinable @inline(__always)
  func receive(_ input: Store.Element) -> Subscribers.Demand {
    // The displaced element is destroyed outside the lock.
    var displaced: Store.Displaced?
    var output: Downstream.Input?
    // Closures that captured all of this would retain each part of it in debug builds.
    let (store, combine, outlet) = (store, combining.combine, combining.outlet)
    let isTaken = combining.engine.combineDirect(
      from: slot, store: { displaced = store.keep(input) }, combine: { output = combine() },
      // The machine has recorded unlimited demand, to which nothing can be added.
      deliver: { _ = outlet.call(output.unsafelyUnwrapped, $0) })
    if !isTaken { displaced = wait(input) }
    _ = displaced
    return .none
  }

  /// Leaves an element, or the output that it completes, to the drainer. Returns what the element displaces.
  @inlinable @inline(never)
  func wait(_ input: Store.Element) -> Store.Displaced? {
    var displaced: Store.Displaced?
    combining.engine.receive(
      from: slot, store: { displaced = store.keep(input) },
      combine: { combining.outlet.queue.append(combining.combine()) })
    return displaced
  }
}
