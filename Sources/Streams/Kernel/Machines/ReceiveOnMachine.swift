/// Delivers through a scheduler, in order: one scheduled action at a time delivers everything that waited when it began.
@usableFromInline
class ReceiveOnMachine: InOrderMachine {
  @exclusivity(unchecked) private final var drain: Alarm?

  override func received(from slot: Int) -> Reception {
    waiting += 1
    schedule()
    return .stored
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    steps.release(upstream.take())
    isFinishing = true
    schedule()
    return .ends
  }

  /// Sees to it that a drain is scheduled.
  final func schedule() {
    if drain == nil { drain = arm(immediately: true) }
  }

  override func isDue(_ alarm: Alarm) {
    if alarm == drain { drain = nil }
    due = waiting
    isCompletionDue = isFinishing
  }
}

/// Delivers through a scheduler, and ends the stream when no element has come for a while.
///
/// The timer is armed once; the operator arms it again by itself when it fires before its date.
@usableFromInline
final class TimeoutMachine: ReceiveOnMachine {
  @exclusivity(unchecked) private var timer: Alarm?

  override func connected(_ subscription: SubscriptionObject, from slot: Int) -> Subscribers.Demand? {
    let isFirst = upstream == nil
    defer { if isFirst { timer = arm() } }
    return super.connected(subscription, from: slot)
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    disarm(timer)
    return super.ended(slot, failed: failed)
  }

  override func isDue(_ alarm: Alarm) {
    if alarm == timer {
      steps.cancel(upstream.take())
      isFinishing = true
      endsWithSubstitute = true
    }
    super.isDue(alarm)
  }
}
