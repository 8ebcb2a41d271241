internal import Synchronization

/// A value that tells one publisher stream from another.
public struct CombineIdentifier: Hashable, Sendable, CustomStringConvertible {
  private let rawValue: UInt

  private static let counter = Atomic<UInt>(0)

  /// Makes an identifier that no other one equals.
  public init() {
    // Addresses are even, so an odd number is never the address of an object.
    rawValue = Self.counter.wrappingAdd(2, ordering: .relaxed).newValue | 1
  }

  /// Makes the identifier of an object; it equals that of no other object that lives at the same time.
  public init(_ object: AnyObject) {
    rawValue = UInt(bitPattern: ObjectIdentifier(object))
  }

  /// The identifier as a hexadecimal number.
  public var description: String { "0x" + String(rawValue, radix: 16) }
}

/// A type whose values can be told apart.
public protocol CustomCombineIdentifierConvertible {
  /// What tells this from others.
  var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
  /// The identity of the object.
  public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}
