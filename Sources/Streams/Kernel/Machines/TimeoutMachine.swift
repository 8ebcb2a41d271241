/// Delivers through a scheduler, like ``ReceiveOnMachine``, and ends the stream when no element has arrived for an
/// interval.
///
/// The machine arms the timer once; if the timer fires before the current deadline, the operator arms it again without
/// the machine.
@usableFromInline
final class TimeoutMachine: TimedMachine {
  init() { super.init(.onDrains) }

  override var directPath: DirectPath { .queue }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ effects: inout Effects
  ) -> Subscribers.Demand? {
    if upstream == nil { arm(&effects) }
    return super.connected(subscription, from: slot, &effects)
  }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    scheduleDrain(&effects)
    return .stored
  }

  override func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending {
    disarm(&effects)
    return super.ended(slot, failed: failed, &effects)
  }

  override func sourceEnded(_ effects: inout Effects) { scheduleDrain(&effects) }

  override func isDue(_ effects: inout Effects) {
    effects.cancel(upstream.take())
    finish(substitute: true)
    drained()
  }
}
