extension Subscribers {
  /// How many values a subscriber wants.
  ///
  /// Demand adds up and never goes below zero. ``unlimited`` absorbs everything: adding to it, taking from it or
  /// multiplying it leaves it unlimited. A sum that no `Int` can hold is unlimited.
  ///
  ///     Subscribers.Demand.max(2) + 1      // max(3)
  ///     Subscribers.Demand.max(1) - 2      // max(0)
  ///     Subscribers.Demand.unlimited - 5   // unlimited
  @frozen
  public struct Demand: Hashable, Comparable, Codable, CustomStringConvertible, Sendable {
    @usableFromInline
    let rawValue: UInt

    @inlinable
    init(rawValue: UInt) { self.rawValue = rawValue }

    /// As many values as there are.
    @inlinable
    public static var unlimited: Demand { Demand(rawValue: 1 << 63) }

    /// No values; the same as `.max(0)`.
    @inlinable
    public static var none: Demand { Demand(rawValue: 0) }

    /// At most so many values.
    ///
    /// - Precondition: `value` is not negative.
    @inlinable
    public static func max(_ value: Int) -> Demand {
      requireNotNegative(value, in: "Subscribers.Demand.max")
      return Demand(rawValue: UInt(bitPattern: value))
    }

    /// The number of values, or `nil` when the demand is unlimited.
    @inlinable
    public var max: Int? { self == .unlimited ? nil : Int(rawValue) }

    /// `unlimited`, or `max(n)`.
    public var description: String { max.map { "max(\($0))" } ?? "unlimited" }

    /// Takes one value off the demand, if there is one to take.
    @inlinable
    mutating func spend() -> Bool {
      if self == .unlimited { return true }
      if rawValue == 0 { return false }
      self = Demand(rawValue: rawValue - 1)
      return true
    }

    /// Reads the demand that was written by ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      let rawValue = try container.decode(UInt.self)
      guard rawValue <= Demand.unlimited.rawValue else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "\(rawValue) is not a demand: it is more than unlimited.")
      }
      self.rawValue = rawValue
    }

    /// Writes the demand as one number: `unlimited` as 2⁶³.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(rawValue)
    }
  }
}

extension Subscribers.Demand {
  @inlinable
  static func finite(_ result: (partialValue: Int, overflow: Bool)) -> Self {
    result.overflow ? .unlimited : Self(rawValue: UInt(Swift.max(0, result.partialValue)))
  }

  /// The sum of two demands.
  @inlinable
  public static func + (lhs: Self, rhs: Self) -> Self {
    guard let left = lhs.max, let right = rhs.max else { return .unlimited }
    return finite(left.addingReportingOverflow(right))
  }

  /// The demand with more added, or, for a negative number, taken away.
  @inlinable
  public static func + (lhs: Self, rhs: Int) -> Self {
    guard let left = lhs.max else { return .unlimited }
    return finite(left.addingReportingOverflow(rhs))
  }

  /// What is left of a demand; never less than none.
  @inlinable
  public static func - (lhs: Self, rhs: Self) -> Self {
    guard let left = lhs.max else { return .unlimited }
    guard let right = rhs.max else { return .none }
    return finite(left.subtractingReportingOverflow(right))
  }

  /// What is left of a demand; never less than none.
  @inlinable
  public static func - (lhs: Self, rhs: Int) -> Self {
    guard let left = lhs.max else { return .unlimited }
    return finite(left.subtractingReportingOverflow(rhs))
  }

  /// The demand so many times; none for a negative factor.
  @inlinable
  public static func * (lhs: Self, rhs: Int) -> Self {
    guard let left = lhs.max else { return .unlimited }
    guard rhs > 0 else { return .none }
    return finite(left.multipliedReportingOverflow(by: rhs))
  }

  /// Adds a demand.
  @inlinable
  public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

  /// Adds a number.
  @inlinable
  public static func += (lhs: inout Self, rhs: Int) { lhs = lhs + rhs }

  /// Takes a demand away.
  @inlinable
  public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

  /// Takes a number away.
  @inlinable
  public static func -= (lhs: inout Self, rhs: Int) { lhs = lhs - rhs }

  /// Multiplies by a number.
  @inlinable
  public static func *= (lhs: inout Self, rhs: Int) { lhs = lhs * rhs }
}

extension Subscribers.Demand {
  /// Whether one demand is smaller than another; unlimited is the largest.
  @inlinable
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

  /// Whether a demand is smaller than a number.
  @inlinable
  public static func < (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 < rhs } ?? false }

  /// Whether a number is smaller than a demand.
  @inlinable
  public static func < (lhs: Int, rhs: Self) -> Bool { rhs.max.map { lhs < $0 } ?? true }

  /// Whether a demand is at most a number.
  @inlinable
  public static func <= (lhs: Self, rhs: Int) -> Bool { !(rhs < lhs) }

  /// Whether a number is at most a demand.
  @inlinable
  public static func <= (lhs: Int, rhs: Self) -> Bool { !(rhs < lhs) }

  /// Whether a demand is larger than a number.
  @inlinable
  public static func > (lhs: Self, rhs: Int) -> Bool { rhs < lhs }

  /// Whether a number is larger than a demand.
  @inlinable
  public static func > (lhs: Int, rhs: Self) -> Bool { rhs < lhs }

  /// Whether a demand is at least a number.
  @inlinable
  public static func >= (lhs: Self, rhs: Int) -> Bool { !(lhs < rhs) }

  /// Whether a number is at least a demand.
  @inlinable
  public static func >= (lhs: Int, rhs: Self) -> Bool { !(lhs < rhs) }

  /// Whether a demand is just so large.
  @inlinable
  public static func == (lhs: Self, rhs: Int) -> Bool { lhs.max == rhs }

  /// Whether a number is just as large as a demand.
  @inlinable
  public static func == (lhs: Int, rhs: Self) -> Bool { rhs.max == lhs }

  /// Whether a demand differs from a number.
  @inlinable
  public static func != (lhs: Self, rhs: Int) -> Bool { !(lhs == rhs) }

  /// Whether a number differs from a demand.
  @inlinable
  public static func != (lhs: Int, rhs: Self) -> Bool { !(lhs == rhs) }
}
