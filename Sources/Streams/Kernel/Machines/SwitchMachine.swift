/// Forwards the elements of the newest inner source, and cancels its predecessor.
@usableFromInline
final class SwitchMachine: Machine {
  /// The slot of the outer source.
  @usableFromInline static var outer: Int { -1 }

  private var outer: SubscriptionObject?
  private var isOuterLive = true
  private var current = 0
  private var inner: SubscriptionObject?
  private var isInnerLive = false

  override var directPath: DirectPath { .slot(current) }

  override func open(_ steps: inout Steps) -> Int? {
    steps.cancel(inner.take())
    current += 1
    isInnerLive = true
    return current
  }

  override func connected(_ subscription: SubscriptionObject, from slot: Int, _ steps: inout Steps) -> Subscribers
    .Demand?
  {
    if slot == Self.outer, isOuterLive, outer == nil {
      outer = subscription
      return .unlimited
    }
    guard slot == current, isInnerLive, inner == nil else { return nil }
    inner = subscription
    return room
  }

  override func requested(_ more: Subscribers.Demand, _ steps: inout Steps) {
    demand += more
    steps.request(more, from: inner)
  }

  override func received(from slot: Int, _ steps: inout Steps) -> Reception {
    slot == current && isInnerLive ? .stored : .refused
  }

  override func ended(_ slot: Int, failed: Bool, _ steps: inout Steps) -> Ending {
    if slot == Self.outer {
      isOuterLive = false
      steps.release(outer.take())
    } else {
      guard slot == current, isInnerLive else { return .continues }
      isInnerLive = false
      steps.release(inner.take())
    }
    if failed { return fail(&steps) }
    if !isOuterLive, !isInnerLive { finish() }
    return .continues
  }

  override func dismantle(_ steps: inout Steps) {
    steps.cancel(outer.take())
    steps.cancel(inner.take())
  }
}
