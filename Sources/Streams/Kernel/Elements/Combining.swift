/// Where elements of one source are kept to be put together with those of others; protected by the engine's lock.
@usableFromInline
protocol CombiningSlot: AnySlot {
  associatedtype Element
  associatedtype Displaced
  /// Keeps an element, and returns what it displaces, to be released outside the lock.
  func store(_ element: Element) -> Displaced
}

/// Where elements wait, each for its turn.
@usableFromInline @_fixed_layout
final class QueueSlot<Element>: AnySlot, CombiningSlot {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @usableFromInline @exclusivity(unchecked) var queue = Ring<Element>()

  @inlinable
  override init() {}

  @inlinable
  func store(_ element: Element) { queue.append(element) }

  /// Removes the oldest element.
  @inlinable @inline(__always)
  func take() -> Element { queue.removeExistingFirst() }

  @usableFromInline
  override func discard(_ engine: Engine) {
    _ = engine.guarded { queue.takeAll() }
  }
}

/// Where the newest element is.
@usableFromInline @_fixed_layout
final class NewestSlot<Element>: AnySlot, CombiningSlot {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @usableFromInline @exclusivity(unchecked) var newest: Element?

  @inlinable
  override init() {}

  @inlinable
  func store(_ element: Element) -> Element? {
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
  override func discard(_ engine: Engine) {
    _ = engine.guarded { newest.take() }
  }
}

/// A slot that keeps nothing: of its source it matters only that something came.
@usableFromInline @_fixed_layout
final class SignalSlot<Element>: AnySlot, CombiningSlot {
  @inlinable
  override init() {}

  @inlinable
  func store(_ element: Element) {}
}

/// What operators share that put elements of several sources together.
///
/// It knows the subscriber, unlike what other operators have between their sources and the outlet: an output is delivered
/// without a call through a closure.
@usableFromInline @frozen
struct Combining<Downstream: Subscriber> {
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: SubscriberOutlet<Downstream>

  /// Makes an output of what the slots hold; called under the lock, and runs no code of the user.
  @usableFromInline let combine: () -> Downstream.Input

  @inlinable @inline(__always)
  init(_ downstream: Downstream, in engine: Engine, _ combine: @escaping () -> Downstream.Input) {
    self.engine = engine
    self.combine = combine
    outlet = engine.makeOutlet(for: downstream)
  }

  @inlinable @inline(__always)
  func attach<Source: Publisher, Place: CombiningSlot>(_ source: Source, _ place: Place, _ slot: Int)
  where Source.Failure == Downstream.Failure, Place.Element == Source.Output {
    if engine.isOver { return }
    engine.guarded { outlet.keep(place) }
    engine.attach(source, CombinedChild(self, place, slot))
  }
}

/// The subscriber of a source whose elements are put together with those of others.
@usableFromInline @frozen
struct CombinedChild<Place: CombiningSlot, Downstream: Subscriber>: Subscriber {
  @usableFromInline let combining: Combining<Downstream>
  @usableFromInline let place: Place
  @usableFromInline let slot: Int

  @inlinable
  init(_ combining: Combining<Downstream>, _ place: Place, _ slot: Int) {
    self.combining = combining
    self.place = place
    self.slot = slot
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { combining.engine.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { combining.engine.connect(subscription, to: slot) }

  @inlinable @inline(__always)
  func receive(_ input: Place.Element) -> Subscribers.Demand {
    // What the newest element displaces dies outside the lock.
    var displaced: Place.Displaced?
    var output: Downstream.Input?
    switch combining.engine.combineDirect(
      from: slot, store: { displaced = place.store(input) }, combine: { output = combining.combine() })
    {
    case .incomplete: break
    case .complete:
      // The machine has recorded unlimited demand, to which nothing can be added.
      _ = combining.outlet.call(output.unsafelyUnwrapped)
      combining.engine.endDirect()
    case .refused: displaced = wait(input)
    }
    _ = displaced
    return .none
  }

  /// Leaves an element, or what it makes, to whoever is delivering; returns what it displaces.
  @inlinable @inline(never)
  func wait(_ input: Place.Element) -> Place.Displaced? {
    var displaced: Place.Displaced?
    combining.engine.receive(
      from: slot, store: { displaced = place.store(input) },
      combine: { combining.outlet.queue.append(combining.combine()) })
    return displaced
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    combining.outlet.end(slot, with: completion, through: combining.engine)
  }
}
