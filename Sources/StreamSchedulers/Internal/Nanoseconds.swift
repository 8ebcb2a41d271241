public import Streams

/// The value of a stride in nanoseconds, whatever its type.
extension SchedulerTimeIntervalConvertible where Self: SignedNumeric & Comparable {
  /// The nearest whole number of nanoseconds.
  @inlinable @inline(__always)
  package var nanoseconds: Int { _nanoseconds ?? searchedNanoseconds }

  /// The smallest number of nanoseconds that makes the stride.
  ///
  /// The protocol can only make a stride from a number, so this is a binary search.
  @usableFromInline
  package var searchedNanoseconds: Int {
    // In a time without duration, such as `ImmediateTime`, every stride is zero.
    // A value that is not equal to itself is NaN, for which the search would not end.
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
    // A stride stored as a fraction may lie just above the intended number.
    return self - Self.nanoseconds(low - 1) < Self.nanoseconds(low) - self ? low - 1 : low
  }
}
