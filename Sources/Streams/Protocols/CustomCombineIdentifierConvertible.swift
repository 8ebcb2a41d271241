internal import Synchronization

/// A value that identifies a stream of a publisher.
public struct CombineIdentifier: Hashable, Sendable, CustomStringConvertible {
  private let rawValue: UInt

  private static let counter = Atomic<UInt>(0)

  /// Creates an identifier that differs from every other identifier.
  public init() {
    // Addresses are even, so an odd number is never the address of an object.
    rawValue = Self.counter.wrappingAdd(2, ordering: .relaxed).newValue | 1
  }

  /// Creates the identifier of an object. It differs from the identifier of every other object that is alive.
  ///
  /// - Parameter object: The object to identify.
  public init(_ object: AnyObject) {
    rawValue = UInt(bitPattern: ObjectIdentifier(object))
  }

  /// The identifier as a hexadecimal number with the prefix `0x`.
  public var description: String { "0x" + String(rawValue, radix: 16) }
}

/// A type whose values have an identifier.
public protocol CustomCombineIdentifierConvertible {
  /// The value's unique identifier.
  var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
  /// The identifier of the object.
  public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}
