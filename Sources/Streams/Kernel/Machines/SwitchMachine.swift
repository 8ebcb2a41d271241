/// Forwards the elements of the newest inner source, and cancels its predecessor.
@usableFromInline
final class SwitchMachine: OldMachine {
  /// The slot of the outer source.
  @usableFromInline static var outer: Slot { -1 }

  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var outer = SingleSource()
  @exclusivity(unchecked) private var inner = SingleSource()
  /// The number of the newest inner source, 0 before the first.
  @exclusivity(unchecked) private var current: Slot = 0

  override var directPath: DirectPath { .slot(current) }

  override func open(_ effects: inout Effects) -> Slot? {
    inner.cancel(&effects)
    inner = SingleSource()
    current = Slot(current.number + 1)
    return current
  }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ effects: inout Effects
  ) -> Subscribers.Demand? {
    if slot == Self.outer { return outer.connect(subscription) ? .unlimited : nil }
    return slot == current && inner.connect(subscription) ? room : nil
  }

  override func requested(_ more: Subscribers.Demand, _ effects: inout Effects) {
    demand += more
    effects.request(more, from: inner.subscription)
  }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    slot == current && inner.isLive ? .stored : .refused
  }

  override func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending {
    guard slot == Self.outer ? outer.end(&effects) : slot == current && inner.end(&effects) else { return .continues }
    if failed { return fail(&effects) }
    if !outer.isLive, current == 0 || !inner.isLive { finish() }
    return .continues
  }

  override func dismantle(_ effects: inout Effects) {
    outer.cancel(&effects)
    inner.cancel(&effects)
  }

  override func inspect(_ tell: StreamFact.Tell) {
    outer.inspect(slot: Self.outer, tell)
    if current != 0 { inner.inspect(slot: 0, tell) }
    tell(.succeeded, current.number, nil)
  }
}
