/// Delivers all elements, and the completion, an interval after they arrived.
///
/// There is one timer for each date at which something arrived. Dates never decrease, so whichever timer fires, the
/// elements of the oldest undelivered date are due.
@usableFromInline
final class DelayMachine: SingleSourceMachine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  /// The dates that have not been reached, oldest first: the object that disarms the timer, once that is known, and the
  /// number of the first element that arrived for this date. Elements are not counted for each date: those of one date
  /// are the elements from its first up to the first of the next date.
  @usableFromInline @exclusivity(unchecked) var dates = Ring<(timer: TimerObject?, first: Int)>()
  /// The number of dates that have been reached, which is also the number of the oldest that has not.
  @usableFromInline @exclusivity(unchecked) var passed = 0

  init() { super.init(.onTimers) }

  override var directPath: DirectPath { .date }

  /// Records the date of an element or the completion. Returns the timer to arm for it, if any.
  /// `isCounted` indicates whether this is an element that is already counted as waiting.
  @inlinable @inline(__always)
  func note(isNewDate: Bool, isCounted: Bool = false) -> TimerID? {
    isNewDate || dates.isEmpty ? append(afterWaiting: paths.waiting &- paths.due &- (isCounted ? 1 : 0)) : nil
  }

  /// Appends an entry for a date that is preceded by the given number of waiting elements that are not due.
  @inlinable
  func append(afterWaiting count: Int) -> TimerID {
    dates.append((timer: nil, first: count &+ (dates.isEmpty ? 0 : dates[0].first)))
    return TimerID(number: passed &+ dates.count &- 1)
  }

  /// Handles an element, which arrived at a new date or at the same one as its predecessor.
  @usableFromInline
  func received(isNewDate: Bool, _ effects: inout Effects) -> Reception {
    if let timerID = note(isNewDate: isNewDate) { effects.arm(timerID) }
    return .stored
  }

  /// Handles the end of the source, like an element.
  @usableFromInline
  func ended(isNewDate: Bool, _ effects: inout Effects) -> Ending {
    if let timerID = note(isNewDate: isNewDate) { effects.arm(timerID) }
    return ended(0, failed: false, &effects)
  }

  override func armed(_ timerID: TimerID, _ timer: TimerObject) -> Bool {
    let offset = timerID.number &- passed
    // Otherwise, a timer has already fired for it.
    guard offset >= 0, offset < dates.count else { return false }
    dates[offset].timer = timer
    return true
  }

  override func fired(_ timerID: TimerID, _ effects: inout Effects) -> TimerObject? {
    if dates.isEmpty { return nil }
    let reached = dates.removeExistingFirst()
    passed &+= 1
    if dates.isEmpty {
      paths.due = waiting
      // The last date is that of the completion, once there is one.
      conclude()
    } else {
      paths.due &+= dates[0].first &- reached.first
    }
    return reached.timer
  }

  override func dismantle(_ effects: inout Effects) {
    super.dismantle(&effects)
    while !dates.isEmpty {
      passed &+= 1
      effects.disarm(dates.removeExistingFirst().timer)
    }
  }

  override func inspect(_ tell: StreamFact.Tell) {
    super.inspect(tell)
    if !dates.isEmpty { tell(.timer, 0, nil) }
  }
}
