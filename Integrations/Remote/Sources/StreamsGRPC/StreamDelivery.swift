/// A value of a resumable stream, and its index.
public struct StreamDelivery<Value> {
  /// The number of the value, counted from 1.
  public let index: UInt64
  /// The value.
  public let value: Value

  /// Creates a delivery.
  public init(index: UInt64, value: Value) { (self.index, self.value) = (index, value) }
}

extension StreamDelivery: Sendable where Value: Sendable {}
extension StreamDelivery: Equatable where Value: Equatable {}
extension StreamDelivery: Hashable where Value: Hashable {}
