/// Delivers through a scheduler, like ``ReceiveOnMachine``, and ends the stream when no element has arrived for an interval.
///
/// The machine arms the timer once; if the timer fires before the current deadline, the operator arms it again without
/// the machine.
@usableFromInline
final class TimeoutMachine: TimedMachine {
  init() { super.init(.onDrains) }

  override var directPath: DirectPath { .queue }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ steps: inout Steps
  ) -> Subscribers.Demand? {
    if upstream == nil { arm(&steps) }
    return super.connected(subscription, from: slot, &steps)
  }

  override func received(from slot: Slot, _ steps: inout Steps) -> Reception {
    scheduleDrain(&steps)
    return .stored
  }

  override func ended(_ slot: Slot, failed: Bool, _ steps: inout Steps) -> Ending {
    disarm(&steps)
    return super.ended(slot, failed: failed, &steps)
  }

  override func sourceEnded(_ steps: inout Steps) { scheduleDrain(&steps) }

  override func isDue(_ steps: inout Steps) {
    steps.cancel(upstream.take())
    finish(substitute: true)
    drained()
  }
}
