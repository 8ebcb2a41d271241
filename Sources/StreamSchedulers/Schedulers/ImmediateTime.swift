public import Streams

/// The time of `ImmediateScheduler.shared`, which consists of a single instant.
///
/// It occupies no memory. Advancing it by any stride returns the same instant.
@frozen
public struct ImmediateTime: Strideable, Hashable, Codable, Sendable {
  /// Creates the only instant.
  @inlinable
  public init() {}

  /// Returns zero.
  @inlinable
  public func distance(to other: Self) -> Stride { Stride(0) }

  /// Returns the same instant.
  @inlinable
  public func advanced(by stride: Stride) -> Self { self }

  /// A plain number without a unit, which has no effect on the time.
  @frozen
  public struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, Codable, Sendable,
    ExpressibleByFloatLiteral
  {
    /// The number.
    public var magnitude: Int

    /// Zero, because strides have no effect on the time.
    @inlinable
    public var _nanoseconds: Int? { 0 }

    /// Creates a stride from a number.
    ///
    /// - Parameter value: The number.
    @inlinable
    public init(_ value: Int) { magnitude = value }

    /// Creates a stride from an integer literal.
    ///
    /// - Parameter value: The number.
    @inlinable
    public init(integerLiteral value: Int) { magnitude = value }

    /// Creates a stride from a floating-point literal and drops the fraction: `14.6` becomes 14, as in Combine.
    ///
    /// - Parameter value: The number. NaN stops the program.
    public init(floatLiteral value: Double) { magnitude = Int(saturating: value.rounded(.towardZero)) }

    /// Creates a stride from a number, or returns `nil` if the number doesn't fit in `Int`.
    ///
    /// - Parameter source: The number.
    public init?<T: BinaryInteger>(exactly source: T) {
      guard let magnitude = Int(exactly: source) else { return nil }
      self.magnitude = magnitude
    }

    /// Returns zero.
    public static func seconds(_ s: Int) -> Self { 0 }

    /// Returns zero. NaN stops the program.
    public static func seconds(_ s: Double) -> Self {
      s.throwIfNaN()
      return 0
    }

    /// Returns zero.
    public static func milliseconds(_ ms: Int) -> Self { 0 }

    /// Returns zero.
    public static func microseconds(_ us: Int) -> Self { 0 }

    /// Returns zero.
    public static func nanoseconds(_ ns: Int) -> Self { 0 }

    // Not declared as an operator, for the reason that `ClockStride` gives.

    /// Returns whether the first number is less than the second.
    @_implements(Comparable,<(_:_:))
    public static func _isLess(lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

    /// Returns the sum of two numbers, clamped to the range of `Int`.
    @_implements(AdditiveArithmetic,+(_:_:))
    public static func _sum(lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude.addingSaturating(rhs.magnitude)) }

    /// Returns the difference of two numbers, clamped to the range of `Int`.
    @_implements(AdditiveArithmetic,-(_:_:))
    public static func _difference(lhs: Self, rhs: Self) -> Self {
      Self(lhs.magnitude.subtractingSaturating(rhs.magnitude))
    }

    /// Returns the product of two numbers, clamped to the range of `Int`.
    @_implements(Numeric,*(_:_:))
    public static func _product(lhs: Self, rhs: Self) -> Self {
      Self(lhs.magnitude.multipliedSaturating(by: rhs.magnitude))
    }

    /// Multiplies a number by another, clamping the result to the range of `Int`.
    @_implements(Numeric,*=(_:_:))
    public static func _multiply(lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
  }
}
