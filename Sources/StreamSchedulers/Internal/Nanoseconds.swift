public import Streams

/// The value of a stride in nanoseconds, whatever its type.
extension SchedulerTimeIntervalConvertible where Self: SignedNumeric & Comparable {
  /// The nearest whole number of nanoseconds.
  @inlinable @inline(__always)
  package var nanoseconds: Int { _nanoseconds ?? searchedNanoseconds }

  /// The nearest whole number of nanoseconds, found by binary search.
  ///
  /// The protocol can create a stride from a number, but can't convert it back.
  @usableFromInline
  package var searchedNanoseconds: Int {
    // In a time without duration, such as `ImmediateTime`, every stride is zero.
    // A value that isn't equal to itself is NaN, for which the search wouldn't end.
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
