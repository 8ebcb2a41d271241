/// Delivers everything, the completion too, some time after it came.
///
/// There is one timer for each date at which something came; elements are delivered in order whichever timer fires first.
@usableFromInline
final class DelayMachine: InOrderMachine {
  /// The slot of an element that came at a new date.
  @usableFromInline static var newDate: Int { 0 }

  /// The slot of an element that came at the same date as the one before.
  @usableFromInline static var sameDate: Int { 1 }

  /// How many elements came at the date of each alarm, oldest first; -1 once it has fired.
  @exclusivity(unchecked) private var counts = Ring<Int>()
  @exclusivity(unchecked) private var oldest = 0
  @exclusivity(unchecked) private var newest: Alarm?

  private func add(_ count: Int, slot: Int) {
    if slot == Self.sameDate, let newest, newest.number - oldest >= 0, counts[newest.number - oldest] >= 0 {
      counts[newest.number - oldest] += count
    } else {
      newest = arm()
      counts.append(count)
    }
  }

  override func received(from slot: Int) -> Reception {
    waiting &+= 1
    add(1, slot: slot)
    return .stored
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    steps.release(upstream.take())
    isFinishing = true
    add(0, slot: slot)
    return .ends
  }

  override func isDue(_ alarm: Alarm) {
    due &+= counts[alarm.number - oldest]
    counts[alarm.number - oldest] = -1
    while counts.first == -1 {
      _ = counts.popFirst()
      oldest += 1
    }
    // The newest alarm is that of the completion, once there is one.
    if isFinishing, alarm == newest { isCompletionDue = true }
  }
}
