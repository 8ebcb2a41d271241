extension Subscribers {
  /// The number of values that a subscriber requests.
  ///
  /// Demand adds up and never goes below zero. ``unlimited`` absorbs everything: if you add to it, subtract from it or multiply
  /// it, it stays unlimited. If an `Int` can't represent a sum or a product, the result is unlimited.
  ///
  ///     Subscribers.Demand.max(2) + 1      // max(3)
  ///     Subscribers.Demand.max(1) - 2      // max(0)
  ///     Subscribers.Demand.unlimited - 5   // unlimited
  @frozen
  public struct Demand: Hashable, Comparable, Codable, CustomStringConvertible, Sendable {
    @usableFromInline
    package let rawValue: UInt

    @inlinable
    package init(rawValue: UInt) { self.rawValue = rawValue }

    /// A demand for as many values as there are.
    @inlinable
    public static var unlimited: Demand { Demand(rawValue: 1 << 63) }

    /// A demand for no values. It's the same as `.max(0)`.
    @inlinable
    public static var none: Demand { Demand(rawValue: 0) }

    /// Creates a demand for at most the given number of values.
    ///
    /// - Parameter value: The number of values. A negative number stops the program with a message.
    @inlinable
    public static func max(_ value: Int) -> Demand {
      requireNotNegative(value, in: "Subscribers.Demand.max(_:)", "a number")
      return Demand(rawValue: UInt(bitPattern: value))
    }

    /// The number of values, or `nil` when the demand is unlimited.
    @inlinable
    public var max: Int? { self == .unlimited ? nil : Int(rawValue) }

    /// `unlimited` or `max(n)`, where *n* is the number of values.
    public var description: String { max.map { "max(\($0))" } ?? "unlimited" }

    /// Subtracts one from the demand and returns whether there was at least one.
    @inlinable
    package mutating func spend() -> Bool {
      if self == .unlimited { return true }
      if rawValue == 0 { return false }
      self = Demand(rawValue: rawValue - 1)
      return true
    }

    /// Decodes a demand that was encoded by ``encode(to:)``.
    ///
    /// - Throws: The error from the decoder, or `DecodingError.dataCorrupted` for a number above 2⁶³.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      let rawValue = try container.decode(UInt.self)
      guard rawValue <= Demand.unlimited.rawValue else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "\(rawValue) is not a valid demand: it is greater than unlimited demand.")
      }
      self.rawValue = rawValue
    }

    /// Encodes the demand as one number: `unlimited` as 2⁶³.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(rawValue)
    }
  }
}

extension Subscribers.Demand {
  @inlinable
  package static func finite(_ result: (partialValue: Int, overflow: Bool)) -> Self {
    result.overflow ? .unlimited : Self(rawValue: UInt(Swift.max(0, result.partialValue)))
  }

  /// Adds two demands.
  @inlinable
  public static func + (lhs: Self, rhs: Self) -> Self {
    guard let left = lhs.max, let right = rhs.max else { return .unlimited }
    return finite(left.addingReportingOverflow(right))
  }

  /// Adds a number, which may be negative, to a demand.
  @inlinable
  public static func + (lhs: Self, rhs: Int) -> Self {
    guard let left = lhs.max else { return .unlimited }
    return finite(left.addingReportingOverflow(rhs))
  }

  /// Subtracts a demand from another one.
  @inlinable
  public static func - (lhs: Self, rhs: Self) -> Self {
    guard let left = lhs.max else { return .unlimited }
    guard let right = rhs.max else { return .none }
    return finite(left.subtractingReportingOverflow(right))
  }

  /// Subtracts a number from a demand.
  @inlinable
  public static func - (lhs: Self, rhs: Int) -> Self {
    guard let left = lhs.max else { return .unlimited }
    return finite(left.subtractingReportingOverflow(rhs))
  }

  /// Multiplies a demand by a number. A finite demand multiplied by a negative number is zero.
  @inlinable
  public static func * (lhs: Self, rhs: Int) -> Self {
    guard let left = lhs.max else { return .unlimited }
    guard rhs > 0 else { return .none }
    return finite(left.multipliedReportingOverflow(by: rhs))
  }

  /// Adds a demand to this one.
  @inlinable
  public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

  /// Adds a number, which may be negative, to this demand.
  @inlinable
  public static func += (lhs: inout Self, rhs: Int) { lhs = lhs + rhs }

  /// Subtracts a demand from this one.
  @inlinable
  public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

  /// Subtracts a number from this demand.
  @inlinable
  public static func -= (lhs: inout Self, rhs: Int) { lhs = lhs - rhs }

  /// Multiplies this demand by a number.
  @inlinable
  public static func *= (lhs: inout Self, rhs: Int) { lhs = lhs * rhs }
}

extension Subscribers.Demand {
  /// Returns whether the first demand is smaller than the second. Unlimited is the largest.
  @inlinable
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

  /// Returns whether a demand is smaller than a number.
  @inlinable
  public static func < (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 < rhs } ?? false }

  /// Returns whether a number is smaller than a demand.
  @inlinable
  public static func < (lhs: Int, rhs: Self) -> Bool { rhs.max.map { lhs < $0 } ?? true }

  /// Returns whether a demand is at most a number.
  @inlinable
  public static func <= (lhs: Self, rhs: Int) -> Bool { !(rhs < lhs) }

  /// Returns whether a number is at most a demand.
  @inlinable
  public static func <= (lhs: Int, rhs: Self) -> Bool { !(rhs < lhs) }

  /// Returns whether a demand is larger than a number.
  @inlinable
  public static func > (lhs: Self, rhs: Int) -> Bool { rhs < lhs }

  /// Returns whether a number is larger than a demand.
  @inlinable
  public static func > (lhs: Int, rhs: Self) -> Bool { rhs < lhs }

  /// Returns whether a demand is at least a number.
  @inlinable
  public static func >= (lhs: Self, rhs: Int) -> Bool { !(lhs < rhs) }

  /// Returns whether a number is at least a demand.
  @inlinable
  public static func >= (lhs: Int, rhs: Self) -> Bool { !(lhs < rhs) }

  /// Returns whether a demand is equal to a number.
  @inlinable
  public static func == (lhs: Self, rhs: Int) -> Bool { lhs.max == rhs }

  /// Returns whether a number is equal to a demand.
  @inlinable
  public static func == (lhs: Int, rhs: Self) -> Bool { rhs.max == lhs }

  /// Returns whether a demand differs from a number.
  @inlinable
  public static func != (lhs: Self, rhs: Int) -> Bool { !(lhs == rhs) }

  /// Returns whether a number differs from a demand.
  @inlinable
  public static func != (lhs: Int, rhs: Self) -> Bool { !(lhs == rhs) }
}
