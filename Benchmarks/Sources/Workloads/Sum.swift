/// Adds up what arrives, without an exclusivity check in the way of what is measured.
///
/// Unchecked: one thread adds at a time, and the number is read when all is done.
public final class Sum: @unchecked Sendable {
  /// What has been added up.
  @exclusivity(unchecked) public var value = 0

  /// Makes a sum of nothing.
  @inlinable
  public init() {}

  /// Adds a number.
  @inlinable @inline(__always)
  public func add(_ number: Int) { value &+= number }
}
