public import Streams

/// What a distance in time is worth in nanoseconds, whatever type it has.
extension SchedulerTimeIntervalConvertible where Self: SignedNumeric & Comparable {
  /// The nearest whole number of nanoseconds.
  @inlinable @inline(__always)
  package var nanoseconds: Int { _nanoseconds ?? searchedNanoseconds }

  /// The smallest number of nanoseconds that makes the distance.
  ///
  /// The protocol only says how to make a distance out of a number, so the number is searched for.
  @usableFromInline
  package var searchedNanoseconds: Int {
    // In a time without duration, such as `ImmediateTime`, every distance is none.
    // One that is not equal to itself is no number, as floating-point numbers have it, and there would be no end.
    require(self == self, or: notANumber)
    guard self != .zero, Self.seconds(1) != .zero else { return 0 }
    guard self > .zero else {
      let magnitude = (Self.zero - self).searchedNanoseconds
      return -magnitude
    }
    var low = 0
    var high = Int.max
    while low < high {
      let middle = low + (high - low) / 2
      if Self.nanoseconds(middle) < self { low = middle + 1 } else { high = middle }
    }
    // A distance that is kept as a fraction may lie just above the number that is meant.
    return self - Self.nanoseconds(low - 1) < Self.nanoseconds(low) - self ? low - 1 : low
  }
}
