/// A sum that is computed without exclusivity checks, which would distort the measurement.
///
/// Unchecked: one thread adds at a time, and the number is read when all work is done.
public final class Sum: @unchecked Sendable {
  /// The sum of the numbers added so far.
  @exclusivity(unchecked) public var value = 0

  /// Creates a sum of zero.
  @inlinable
  public init() {}

  /// Adds a number.
  @inlinable @inline(__always)
  public func add(_ number: Int) { value &+= number }
}
