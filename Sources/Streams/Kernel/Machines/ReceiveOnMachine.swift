/// Delivers through a scheduler, in order: one scheduled action at a time delivers all elements that waited when it
/// began.
@usableFromInline
class ReceiveOnMachine: InOrderMachine {
  init() { super.init(.onDrains) }

  override final var directPath: DirectPath { .queue }

  override final func received(from slot: Int, _ steps: inout Steps) -> Reception {
    scheduleDrain(&steps)
    return .stored
  }

  override func ended(_ slot: Int, failed: Bool, _ steps: inout Steps) -> Ending {
    steps.release(upstream.take())
    finish()
    scheduleDrain(&steps)
    return .ends
  }
}

/// Delivers through a scheduler, and ends the stream when no element has arrived for an interval.
///
/// The machine arms the timer once; if the timer fires before the current deadline, the operator arms it again without
/// the machine.
@usableFromInline
final class TimeoutMachine: ReceiveOnMachine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var timer = SoleTimer()

  override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ steps: inout Steps
  ) -> Subscribers.Demand? {
    if upstream == nil { steps.arm(timer.arm()) }
    return super.connected(subscription, from: slot, &steps)
  }

  override func ended(_ slot: Int, failed: Bool, _ steps: inout Steps) -> Ending {
    steps.disarm(timer.take())
    return super.ended(slot, failed: failed, &steps)
  }

  override func armed(_ alarm: Alarm, _ timer: TimerObject) -> Bool { self.timer.set(timer, for: alarm) }

  override func fired(_ alarm: Alarm, _ steps: inout Steps) -> TimerObject? {
    guard timer.isMeant(by: alarm) else { return nil }
    let gone = timer.take()
    steps.cancel(upstream.take())
    finish(.ofOperator)
    drained()
    return gone
  }

  override func dismantle(_ steps: inout Steps) {
    super.dismantle(&steps)
    steps.disarm(timer.take())
  }
}
