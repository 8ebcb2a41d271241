import Foundation
import SymbolKit

/// Parameters with default values such as `#file`, which callers do not write.
public let filledIn: Set<String> = ["fileID", "filePath", "file", "line", "column", "function"]

extension [Fragment] {
  public var text: String { map(\.spelling).joined() }
}

extension Symbol {
  public var declaration: [Fragment] { self[mixin: DeclarationFragments.self]?.declarationFragments ?? [] }
  public var signature: FunctionSignature? { self[mixin: FunctionSignature.self] }
  /// The file in which it is declared, from the package's folder, unless it is synthesized.
  public var file: String? {
    self[mixin: Location.self]?.uri.components(separatedBy: "/Sources/").last.map { "Sources/\($0)" }
  }
  public var line: Int { (self[mixin: Location.self]?.position.line ?? 0) + 1 }
  public var isInExtension: Bool { self[mixin: Swift.Extension.self] != nil }
  public var isUnavailable: Bool { availability.contains { $0.isUnconditionallyUnavailable } }
  public var isDeprecated: Bool { availability.contains { $0.isUnconditionallyDeprecated } }
  /// What the extension that it is in requires of the extended type.
  public var extensionConstraints: [Swift.GenericConstraint] { self[mixin: Swift.Extension.self]?.constraints ?? [] }
  /// What it requires of its generic parameters.
  public var ownConstraints: [Swift.GenericConstraint] { self[mixin: Swift.Generics.self]?.constraints ?? [] }

  private var availability: [Availability.AvailabilityItem] { self[mixin: Availability.self]?.availability ?? [] }
}
