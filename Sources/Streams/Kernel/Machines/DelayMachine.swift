/// Delivers everything, the completion too, some time after it came.
///
/// There is one timer for each date at which something came. Dates never go back, so whichever timer fires, the elements of
/// the oldest date that has not been delivered are due.
@usableFromInline
final class DelayMachine: InOrderMachine {
  /// The slot of an element that came at a new date.
  @usableFromInline static var newDate: Int { 0 }

  /// The slot of an element that came at the same date as the one before.
  @usableFromInline static var sameDate: Int { 1 }

  /// A date at which something is due.
  @usableFromInline @frozen
  struct Due {
    /// What disarms its timer, from when that is known.
    @usableFromInline var timer: TimerObject?
    /// The number of the first element that came for it. Elements are not counted for their dates: what came for one is
    /// what there is between its first and that of the next.
    @usableFromInline let first: Int

    @inlinable
    init(first: Int) { self.first = first }
  }

  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  /// The dates that have not come, oldest first.
  @usableFromInline @exclusivity(unchecked) var dates = Ring<Due>()
  /// How many dates have come, which is the number of the oldest that has not.
  @usableFromInline @exclusivity(unchecked) var passed = 0

  override var directPath: DirectPath { .date }

  /// Notes the date of what has come, an element or the completion; returns the timer that has to be armed for it, if one
  /// has. `isCounted` says whether it is an element that is counted as waiting already.
  @inlinable @inline(__always)
  func note(isNewDate: Bool, isCounted: Bool = false) -> Alarm? {
    isNewDate || dates.isEmpty ? append(afterWaiting: paths.waiting &- paths.due &- (isCounted ? 1 : 0)) : nil
  }

  /// Makes an entry for a date, before which so many elements that are not due came.
  @inlinable
  func append(afterWaiting count: Int) -> Alarm {
    dates.append(Due(first: count &+ (dates.isEmpty ? 0 : dates[0].first)))
    return Alarm(number: passed &+ dates.count &- 1)
  }

  override func received(from slot: Int) -> Reception {
    if let alarm = note(isNewDate: slot == Self.newDate) { steps.arm(alarm) }
    return .stored
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    steps.release(upstream.take())
    finish()
    if let alarm = note(isNewDate: slot == Self.newDate) { steps.arm(alarm) }
    return .ends
  }

  override func armed(_ alarm: Alarm, _ timer: TimerObject) -> Bool {
    let offset = alarm.number &- passed
    // If not, one has fired for it.
    guard offset >= 0, offset < dates.count else { return false }
    dates[offset].timer = timer
    return true
  }

  override func fired(_ alarm: Alarm?) -> TimerObject? {
    if dates.isEmpty { return nil }
    let date = dates.removeExistingFirst()
    passed &+= 1
    if dates.isEmpty {
      paths.due = waiting
      // The last date is that of the completion, once there is one.
      conclude()
    } else {
      paths.due &+= dates[0].first &- date.first
    }
    return date.timer
  }

  override func dismantle() {
    super.dismantle()
    while !dates.isEmpty {
      passed &+= 1
      steps.disarm(dates.removeExistingFirst().timer)
    }
  }
}
