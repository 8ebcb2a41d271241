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

  // Exclusive: reached only under the lock of the engine, which runs nothing unknown meanwhile.
  /// How many elements came at the date of each timer, oldest first.
  @usableFromInline @exclusivity(unchecked) var counts = Ring<Int>()

  override var directPath: DirectPath { .date }

  /// Counts what has come, so many elements or the completion; returns whether a timer has to be armed for it.
  @inlinable @inline(__always)
  func add(_ count: Int, isNewDate: Bool) -> Bool {
    if !isNewDate, counts.count > 0 {
      counts[counts.count &- 1] &+= count
      return false
    }
    counts.append(count)
    return true
  }

  override func received(from slot: Int) -> Reception {
    if add(1, isNewDate: slot == Self.newDate) { _ = arm() }
    return .stored
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    steps.release(upstream.take())
    finish()
    if add(0, isNewDate: slot == Self.newDate) { _ = arm() }
    return .ends
  }

  override func isDue() {
    paths.due &+= counts.popFirst() ?? 0
    // The last date is that of the completion, once there is one.
    if counts.isEmpty { conclude() }
  }
}
