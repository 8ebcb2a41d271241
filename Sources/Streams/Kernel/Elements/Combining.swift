/// Where the elements of one source wait to be put together with those of others; protected by the engine's lock.
@usableFromInline
final class Slot<Element>: AnySlot {
  @usableFromInline @exclusivity(unchecked) var queue = Ring<Element>()

  @inlinable
  override init() {}

  @usableFromInline
  override func discard(_ engine: Engine) {
    _ = engine.guarded { queue.takeAll() }
  }

  /// Removes the oldest element.
  @inlinable
  func take() -> Element { queue.popFirst()! }

  /// The newest element, when only that is kept.
  @inlinable
  func peek() -> Element { queue.first! }
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
  func attach<Source: Publisher>(_ source: Source, _ slot: Slot<Source.Output>, _ index: Int, keepsNewest: Bool = false)
  where Source.Failure == Downstream.Failure {
    if engine.isOver { return }
    engine.guarded { outlet.slots.append(slot) }
    engine.attach(source, CombinedChild(self, slot, index, keepsNewest: keepsNewest))
  }
}

/// The subscriber of a source whose elements are put together with those of others.
@usableFromInline
struct CombinedChild<Input, Downstream: Subscriber>: Subscriber {
  @usableFromInline let combining: Combining<Downstream>
  @usableFromInline let slot: Slot<Input>
  @usableFromInline let index: Int
  @usableFromInline let keepsNewest: Bool

  @inlinable
  init(_ combining: Combining<Downstream>, _ slot: Slot<Input>, _ index: Int, keepsNewest: Bool) {
    self.combining = combining
    self.slot = slot
    self.index = index
    self.keepsNewest = keepsNewest
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { combining.engine.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { combining.engine.connect(subscription, to: index) }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    // What the newest element displaces dies outside the lock.
    var displaced: Input?
    combining.engine.receive(
      from: index,
      store: {
        if keepsNewest { displaced = slot.queue.popFirst() }
        slot.queue.append(input)
      },
      conclude: { combining.outlet.queue.append(combining.combine()) })
    _ = displaced
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    combining.outlet.end(index, with: completion, through: combining.engine)
  }
}
