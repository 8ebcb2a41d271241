internal import Streams

extension Int {
  /// The sum, or the nearest number that there is.
  @inlinable
  package func addingSaturating(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, or the nearest number that there is.
  package func subtractingSaturating(_ other: Int) -> Int {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  /// The product, or the nearest number that there is.
  @inline(__always)
  package func multipliedSaturating(by other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }

  /// The product divided by a positive number, computed exactly, or the nearest number that there is.
  package func multiplied(by other: Int, dividedBy divisor: Int) -> Int {
    let product = multipliedFullWidth(by: other)
    let wide = Int128(product.high) << 64 | Int128(product.low)
    return Int(clamping: wide / Int128(divisor))
  }

  /// The nearest whole number, or the nearest one that there is. What is not a number stops the program.
  package init(saturating value: Double) {
    value.requireNumber()
    self = Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
  }
}

extension Double {
  /// The number, or, in place of an infinity, the largest one that there is. What is not a number stops the program.
  package var saturated: Double {
    requireNumber()
    return Swift.min(Swift.max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }

  /// Stops the program where a distance in time is not a number: no answer to that would be better than another.
  package func requireNumber() { require(!isNaN, or: notANumber) }
}

/// What is said of a distance in time that is not a number.
@usableFromInline
var notANumber: String {
  "A distance in time is not a number (nan). Look at what it is computed from: zero divided by zero, for example."
}
