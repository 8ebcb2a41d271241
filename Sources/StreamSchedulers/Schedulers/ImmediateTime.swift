public import Streams

/// The time of `ImmediateScheduler.shared`, in which there is one moment only.
///
/// It takes no memory. Moving it by any stride leads to the same moment.
@frozen
public struct ImmediateTime: Strideable, Hashable, Codable, Sendable {
  /// Makes the one moment.
  @inlinable
  public init() {}

  /// Returns zero.
  @inlinable
  public func distance(to other: Self) -> Stride { Stride(0) }

  /// Returns the same moment.
  @inlinable
  public func advanced(by stride: Stride) -> Self { self }

  /// A distance that is a plain number, without a unit and without meaning for the time.
  @frozen
  public struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, Codable, Sendable,
    ExpressibleByFloatLiteral
  {
    /// The number.
    public var magnitude: Int

    /// Zero: it has no meaning for the time.
    @inlinable
    public var _nanoseconds: Int? { 0 }

    /// Makes one from a number.
    @inlinable
    public init(_ value: Int) { magnitude = value }

    /// Makes one from a number.
    @inlinable
    public init(integerLiteral value: Int) { magnitude = value }

    /// Makes one from the nearest whole number; what is not a number stops the program.
    public init(floatLiteral value: Double) { magnitude = Int(saturating: value) }

    /// Makes one from a number, unless it is too large.
    public init?<T: BinaryInteger>(exactly source: T) {
      guard let magnitude = Int(exactly: source) else { return nil }
      self.magnitude = magnitude
    }

    /// Returns zero, as there is one moment only.
    public static func seconds(_ s: Int) -> Self { 0 }

    /// Returns zero, as there is one moment only; what is not a number stops the program.
    public static func seconds(_ s: Double) -> Self {
      s.requireNumber()
      return 0
    }

    /// Returns zero, as there is one moment only.
    public static func milliseconds(_ ms: Int) -> Self { 0 }

    /// Returns zero, as there is one moment only.
    public static func microseconds(_ us: Int) -> Self { 0 }

    /// Returns zero, as there is one moment only.
    public static func nanoseconds(_ ns: Int) -> Self { 0 }

    /// Whether one number is less than another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

    /// The sum of two numbers, or the nearest number that there is.
    public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude.addingSaturating(rhs.magnitude)) }

    /// The difference of two numbers, or the nearest number that there is.
    public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude.subtractingSaturating(rhs.magnitude)) }

    /// The product of two numbers, or the nearest number that there is.
    public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude.multipliedSaturating(by: rhs.magnitude)) }

    /// Adds a number.
    public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

    /// Takes a number away.
    public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

    /// Multiplies with a number.
    public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
  }
}
