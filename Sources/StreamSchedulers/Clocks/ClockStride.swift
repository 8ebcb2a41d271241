public import Streams

/// A distance in the time of a clock, in whole nanoseconds; the stride of a ``ClockScheduler``.
///
/// Arithmetic stops at the largest and the smallest distance, 292 years, instead of overflowing. A literal is a number of
/// seconds, and multiplication is that of numbers of seconds, so `stride * 2` is twice the stride.
public struct ClockStride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, Sendable,
  ExpressibleByFloatLiteral
{
  /// The number of nanoseconds, negative for a distance back.
  public var magnitude: Int

  init(count: Int) { magnitude = count }

  /// Makes one from a duration: the nearest whole number of nanoseconds.
  public init(_ duration: Duration) { magnitude = duration.virtualNanoseconds }

  /// The distance as a duration.
  public var duration: Duration { .nanoseconds(magnitude) }

  /// The number of nanoseconds.
  public var _nanoseconds: Int? { magnitude }

  /// Makes a number of seconds.
  public init(floatLiteral value: Double) { self = .seconds(value) }

  /// Makes a number of seconds.
  public init(integerLiteral value: Int) { self = .seconds(value) }

  /// Makes a number of seconds, unless it is too large for an integer.
  public init?<T: BinaryInteger>(exactly source: T) {
    guard let seconds = Int(exactly: source) else { return nil }
    self = .seconds(seconds)
  }

  /// A whole number of seconds.
  public static func seconds(_ s: Int) -> Self { Self(count: s.multipliedSaturating(by: 1_000_000_000)) }

  /// A number of seconds, rounded to whole nanoseconds; what is not a number stops the program.
  public static func seconds(_ s: Double) -> Self { Self(count: Int(saturating: s * 1_000_000_000)) }

  /// A whole number of thousandths of a second.
  public static func milliseconds(_ ms: Int) -> Self { Self(count: ms.multipliedSaturating(by: 1_000_000)) }

  /// A whole number of millionths of a second.
  public static func microseconds(_ us: Int) -> Self { Self(count: us.multipliedSaturating(by: 1_000)) }

  /// A whole number of billionths of a second.
  public static func nanoseconds(_ ns: Int) -> Self { Self(count: ns) }

  /// Whether one distance is less than another.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

  /// The sum of two distances.
  public static func + (lhs: Self, rhs: Self) -> Self { Self(count: lhs.magnitude.addingSaturating(rhs.magnitude)) }

  /// The difference of two distances.
  public static func - (lhs: Self, rhs: Self) -> Self {
    Self(count: lhs.magnitude.subtractingSaturating(rhs.magnitude))
  }

  /// The product of two distances as numbers of seconds.
  public static func * (lhs: Self, rhs: Self) -> Self {
    Self(count: lhs.magnitude.multiplied(by: rhs.magnitude, dividedBy: 1_000_000_000))
  }

  /// The same distance in the other direction.
  public static prefix func - (operand: Self) -> Self { .zero - operand }

  /// Turns the distance round.
  public mutating func negate() { self = -self }

  /// Adds a distance.
  public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

  /// Takes a distance away.
  public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

  /// Multiplies with a distance, both as numbers of seconds.
  public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
}
