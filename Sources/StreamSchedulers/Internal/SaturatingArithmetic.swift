internal import Streams

extension Int {
  /// Returns the sum, clamped to the range of `Int`.
  @inlinable
  package func addingSaturating(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the difference, clamped to the range of `Int`.
  package func subtractingSaturating(_ other: Int) -> Int {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  /// Returns the product, clamped to the range of `Int`.
  @inline(__always)
  package func multipliedSaturating(by other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }

  /// Returns the exact product divided by a positive number, clamped to the range of `Int`.
  package func multiplied(by other: Int, dividedBy divisor: Int) -> Int {
    let product = multipliedFullWidth(by: other)
    let wide = Int128(product.high) << 64 | Int128(product.low)
    return Int(clamping: wide / Int128(divisor))
  }

  /// Creates the nearest whole number, clamped to the range of `Int`. NaN stops the program.
  package init(saturating value: Double) {
    value.throwIfNaN()
    self = Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
  }
}

/// Arithmetic on durations, clamped to the range of `Swift.Duration`, whose own operators stop the program beyond it.
/// The range of another type isn't known, so its own operators are used.
extension DurationProtocol {
  func addingSaturating(_ other: Self) -> Self {
    guard let own = attosecondCount, let more = other.attosecondCount else { return self + other }
    let (sum, overflow) = own.addingReportingOverflow(more)
    return Self(attosecondCount: overflow ? (more < 0 ? .min : .max) : sum)
  }

  func subtractingSaturating(_ other: Self) -> Self {
    guard let own = attosecondCount, let less = other.attosecondCount else { return self - other }
    let (difference, overflow) = own.subtractingReportingOverflow(less)
    return Self(attosecondCount: overflow ? (less < 0 ? .max : .min) : difference)
  }

  func multipliedSaturating(by factor: Int) -> Self {
    guard let own = attosecondCount else { return self * factor }
    let (product, overflow) = own.multipliedReportingOverflow(by: Int128(factor))
    return Self(attosecondCount: overflow ? ((own < 0) == (factor < 0) ? .max : .min) : product)
  }

  /// The duration, clamped to 292 years. The standard library's clocks stop the program if they add a longer duration to the
  /// current instant or sleep for one.
  var clampedForLiveClock: Self {
    guard let own = attosecondCount else { return self }
    let limit = Int128(Int.max) * 1_000_000_000
    return Self(attosecondCount: Swift.min(Swift.max(own, -limit), limit))
  }

  private var attosecondCount: Int128? {
    // The types are the same. A cast would look them up at run time.
    Self.self == Duration.self ? unsafeBitCast(self, to: Duration.self).attoseconds : nil
  }

  private init(attosecondCount: Int128) {
    self = unsafeBitCast(Duration(attoseconds: attosecondCount), to: Self.self)
  }
}

extension Double {
  /// The number, with infinities replaced by the largest finite values. NaN stops the program.
  package var saturated: Double {
    throwIfNaN()
    return Swift.min(Swift.max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }

  /// Stops the program if the number is NaN, for which no result would make sense.
  package func throwIfNaN() { require(!isNaN, or: notANumber) }
}

/// The message about a stride that is NaN.
package var notANumber: String {
  "A time interval is not a number (NaN). Check how it is computed: zero divided by zero is NaN, for example."
}
