/// Delivers everything, the completion too, some time after it came.
///
/// There is one timer for each date at which something came; elements are delivered in order whichever timer fires first.
@usableFromInline
final class DelayMachine: ScheduledMachine {
  /// The slot of an element that came at a new date.
  @usableFromInline static var newDate: Int { 0 }

  /// The slot of an element that came at the same date as the one before.
  @usableFromInline static var sameDate: Int { 1 }

  @exclusivity(unchecked) private var counts: [Alarm: Int] = [:]
  @exclusivity(unchecked) private var newest: Alarm?
  @exclusivity(unchecked) private var due = 0
  @exclusivity(unchecked) private var isCompletionDue = false

  override func requested(_ more: Subscribers.Demand) {
    if let upstream { steps.request(more, from: upstream) } else { demand += more }
  }

  private func add(_ count: Int, slot: Int) -> Alarm {
    let alarm: Alarm
    if slot == Self.sameDate, let newest, counts[newest] != nil {
      alarm = newest
    } else {
      alarm = arm()
      newest = alarm
    }
    counts[alarm, default: 0] += count
    return alarm
  }

  override func received(from slot: Int) -> Reception {
    waiting += 1
    _ = add(1, slot: slot)
    return .stored
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    steps.release(upstream.take())
    isFinishing = true
    _ = add(0, slot: slot)
    return .ends
  }

  override func isDue(_ alarm: Alarm) {
    due += counts.removeValue(forKey: alarm) ?? 0
    // The newest alarm is that of the completion, once there is one.
    if isFinishing, alarm == newest { isCompletionDue = true }
  }

  override func next() -> Delivery? {
    if isOver { return nil }
    if due > 0 {
      due -= 1
      waiting -= 1
      return .element
    }
    return isCompletionDue && waiting == 0 ? finish() : nil
  }
}
