internal import Streams

extension Int {
  /// The sum, clamped to the range of `Int`.
  @inlinable
  package func addingSaturating(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, clamped to the range of `Int`.
  package func subtractingSaturating(_ other: Int) -> Int {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  /// The product, clamped to the range of `Int`.
  @inline(__always)
  package func multipliedSaturating(by other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }

  /// The exact product divided by a positive number, clamped to the range of `Int`.
  package func multiplied(by other: Int, dividedBy divisor: Int) -> Int {
    let product = multipliedFullWidth(by: other)
    let wide = Int128(product.high) << 64 | Int128(product.low)
    return Int(clamping: wide / Int128(divisor))
  }

  /// Creates the nearest whole number, clamped to the range of `Int`. NaN stops the program.
  package init(saturating value: Double) {
    value.requireNumber()
    self = Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
  }
}

extension Double {
  /// The number, with infinities replaced by the largest finite values. NaN stops the program.
  package var saturated: Double {
    requireNumber()
    return Swift.min(Swift.max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }

  /// Stops the program if a stride is NaN, for which no result would be better than another.
  package func requireNumber() { require(!isNaN, or: notANumber) }
}

/// The message about a stride that is NaN.
var notANumber: String {
  "A time interval is not a number (NaN). Check how it is computed: zero divided by zero is NaN, for example."
}
