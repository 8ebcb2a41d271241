/// Forwards the elements of the newest inner source, and cancels its predecessor.
@usableFromInline
final class SwitchMachine: Machine {
  /// The slot of the outer source.
  @usableFromInline static var outer: Slot { -1 }

  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var outer = SingleSource()
  @exclusivity(unchecked) private var inner = SingleSource()
  /// The number of the newest inner source, 0 before the first.
  @exclusivity(unchecked) private var current: Slot = 0

  override var directPath: DirectPath { .slot(current) }

  override func open(_ steps: inout Steps) -> Slot? {
    inner.cancel(&steps)
    inner = SingleSource()
    current = Slot(current.number + 1)
    return current
  }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ steps: inout Steps
  ) -> Subscribers.Demand? {
    if slot == Self.outer { return outer.connect(subscription) ? .unlimited : nil }
    return slot == current && inner.connect(subscription) ? room : nil
  }

  override func requested(_ more: Subscribers.Demand, _ steps: inout Steps) {
    demand += more
    steps.request(more, from: inner.subscription)
  }

  override func received(from slot: Slot, _ steps: inout Steps) -> Reception {
    slot == current && inner.isLive ? .stored : .refused
  }

  override func ended(_ slot: Slot, failed: Bool, _ steps: inout Steps) -> Ending {
    guard slot == Self.outer ? outer.end(&steps) : slot == current && inner.end(&steps) else { return .continues }
    if failed { return fail(&steps) }
    if !outer.isLive, current == 0 || !inner.isLive { finish() }
    return .continues
  }

  override func dismantle(_ steps: inout Steps) {
    outer.cancel(&steps)
    inner.cancel(&steps)
  }
}
