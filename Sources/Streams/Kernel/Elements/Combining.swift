/// Where elements of one source are kept to be put together with those of others; protected by the engine's lock.
@usableFromInline
protocol CombiningSlot: AnySlot {
  associatedtype Element
  /// Keeps an element, and returns the one that it displaces.
  func store(_ element: Element) -> Element?
}

/// Where elements wait, each for its turn.
@usableFromInline
final class QueueSlot<Element>: AnySlot, CombiningSlot {
  @usableFromInline @exclusivity(unchecked) var queue = Ring<Element>()

  @inlinable
  override init() {}

  @inlinable
  func store(_ element: Element) -> Element? {
    queue.append(element)
    return nil
  }

  /// Removes the oldest element.
  @inlinable
  func take() -> Element { queue.popFirst().unsafelyUnwrapped }

  @usableFromInline
  override func discard(_ engine: Engine) {
    _ = engine.guarded { queue.takeAll() }
  }
}

/// Where the newest element is.
@usableFromInline
final class NewestSlot<Element>: AnySlot, CombiningSlot {
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
  @inlinable
  func peek() -> Element { newest.unsafelyUnwrapped }

  @usableFromInline
  override func discard(_ engine: Engine) {
    _ = engine.guarded { newest.take() }
  }
}

/// What all arities of zip and combineLatest share.
@usableFromInline
struct Combining<Downstream: Subscriber> {
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<Downstream>
  /// Makes an output of what the slots hold; called under the lock, and runs no code of the user.
  @usableFromInline let combine: () -> Downstream.Input

  @inlinable @inline(__always)
  init(_ downstream: Downstream, _ engine: Engine, _ combine: @escaping () -> Downstream.Input) {
    self.engine = engine
    self.combine = combine
    outlet = Outlet(downstream)
    outlet.install(in: engine)
  }

  @inlinable @inline(__always)
  func attach<Source: Publisher, Place: CombiningSlot>(_ source: Source, _ place: Place, _ slot: Int)
  where Source.Failure == Downstream.Failure, Place.Element == Source.Output {
    if engine.isOver { return }
    engine.guarded { outlet.slots.append(place) }
    engine.attach(source, CombinedChild(self, place, slot))
  }
}

/// The subscriber of a source whose elements are put together with those of others.
@usableFromInline
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

  @inlinable
  func receive(_ input: Place.Element) -> Subscribers.Demand {
    let engine = combining.engine
    // What the newest element displaces dies outside the lock.
    var displaced: Place.Element?
    var output: Downstream.Input?
    switch engine.combineDirect(
      from: slot, store: { displaced = place.store(input) }, conclude: { output = combining.combine() })
    {
    case .incomplete: break
    case .complete:
      // The machine has recorded unlimited demand, to which nothing can be added.
      _ = combining.outlet.downstream.receive(output.unsafelyUnwrapped)
      engine.endDirect()
    case .refused:
      engine.receive(
        from: slot, store: { displaced = place.store(input) },
        conclude: { combining.outlet.queue.append(combining.combine()) })
    }
    _ = displaced
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    combining.outlet.end(slot, with: completion, through: combining.engine)
  }
}
