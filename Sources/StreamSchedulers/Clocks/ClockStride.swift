public import Streams

/// A distance in a clock's time, in whole nanoseconds, used by ``ClockScheduler``.
///
/// Arithmetic saturates at about 292 years in either direction instead of overflowing. A literal is a number of seconds.
/// Multiplication interprets both factors as numbers of seconds, so `stride * 2` is twice the stride.
public struct ClockStride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, Sendable,
  ExpressibleByFloatLiteral
{
  /// The number of nanoseconds, negative for a stride back in time.
  public var magnitude: Int

  init(count: Int) { magnitude = count }

  /// Creates a stride from a duration, rounded to the nearest nanosecond.
  ///
  /// - Parameter duration: The duration.
  public init(_ duration: Duration) { magnitude = duration.virtualNanoseconds }

  /// The stride as a duration.
  public var duration: Duration { .nanoseconds(magnitude) }

  /// The number of nanoseconds.
  public var _nanoseconds: Int? { magnitude }

  /// Creates a stride from a floating-point literal.
  ///
  /// - Parameter value: The number of seconds. NaN stops the program.
  public init(floatLiteral value: Double) { self = .seconds(value) }

  /// Creates a stride from an integer literal.
  ///
  /// - Parameter value: The number of seconds.
  public init(integerLiteral value: Int) { self = .seconds(value) }

  /// Creates a stride from a number of seconds, or returns `nil` if the number doesn't fit in `Int`.
  ///
  /// - Parameter source: The number of seconds.
  public init?<T: BinaryInteger>(exactly source: T) {
    guard let seconds = Int(exactly: source) else { return nil }
    self = .seconds(seconds)
  }

  /// Converts a whole number of seconds to a stride.
  public static func seconds(_ s: Int) -> Self { Self(count: s.multipliedSaturating(by: 1_000_000_000)) }

  /// Converts a number of seconds to a stride, rounded to the nearest nanosecond. NaN stops the program.
  public static func seconds(_ s: Double) -> Self { Self(count: Int(saturating: s * 1_000_000_000)) }

  /// Converts a number of milliseconds to a stride.
  public static func milliseconds(_ ms: Int) -> Self { Self(count: ms.multipliedSaturating(by: 1_000_000)) }

  /// Converts a number of microseconds to a stride.
  public static func microseconds(_ us: Int) -> Self { Self(count: us.multipliedSaturating(by: 1_000)) }

  /// Converts a number of nanoseconds to a stride.
  public static func nanoseconds(_ ns: Int) -> Self { Self(count: ns) }

  // The operators of times and strides are declared under other names, because the compiler tries every `+` and `<` in a
  // program's modules for each expression that contains one.

  /// Returns whether the first stride is less than the second.
  @_implements(Comparable,<(_:_:))
  public static func _isLess(lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

  /// Returns the sum of two strides.
  @_implements(AdditiveArithmetic,+(_:_:))
  public static func _sum(lhs: Self, rhs: Self) -> Self { Self(count: lhs.magnitude.addingSaturating(rhs.magnitude)) }

  /// Returns the difference of two strides.
  @_implements(AdditiveArithmetic,-(_:_:))
  public static func _difference(lhs: Self, rhs: Self) -> Self {
    Self(count: lhs.magnitude.subtractingSaturating(rhs.magnitude))
  }

  /// Returns the product of two strides, both interpreted as numbers of seconds.
  @_implements(Numeric,*(_:_:))
  public static func _product(lhs: Self, rhs: Self) -> Self {
    Self(count: lhs.magnitude.multiplied(by: rhs.magnitude, dividedBy: 1_000_000_000))
  }

  /// Multiplies a stride by another, interpreting both as numbers of seconds.
  @_implements(Numeric,*=(_:_:))
  public static func _multiply(lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
}
