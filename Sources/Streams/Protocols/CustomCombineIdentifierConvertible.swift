internal import Synchronization

/// A value that identifies a publisher's stream.
public struct CombineIdentifier: Hashable, Sendable, CustomStringConvertible {
  private let rawValue: UInt

  private static let counter = Atomic<UInt>(0)

  /// Creates an identifier that's different from all others.
  public init() {
    // Addresses are even, so an odd number is never an object's address.
    rawValue = Self.counter.wrappingAdd(2, ordering: .relaxed).newValue | 1
  }

  /// Creates an identifier for an object. No other live object has the same identifier.
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
  /// The object's identifier.
  public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}
