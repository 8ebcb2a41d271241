import Foundation
import SymbolGraphs

extension Symbol {
  var name: String { pathComponents.joined(separator: ".") }
  var isType: Bool { [.struct, .class, .enum, .protocol, .typealias].contains(kind.identifier) }
  var isMember: Bool { [.method, .typeMethod, .property, .typeProperty, .`init`].contains(kind.identifier) }

  /// What the extension that it is declared in requires, as source code.
  var extensionRequirements: String {
    extensionConstraints.map { constraint in
      // In an extension of `Clock`, `Duration` is that of the clock.
      let type = constraint.rightTypeName.replacing(#/(^|<)Duration\b/#) { "\($0.1)Swift.Duration" }
      return "\(constraint.leftTypeName) \(constraint.kind == .sameType ? "==" : ":") \(type)"
    }.joined(separator: ", ")
  }

  /// Whether it is marked as disfavored. Symbol graphs lack this attribute, so it is read in the source.
  var isDisfavored: Bool {
    guard let file, let lines = try? String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "\n")
    else { return false }
    return lines[..<line].reversed().prefix { !$0.contains("///") && !$0.allSatisfy(\.isWhitespace) }
      .contains { $0.contains("@_disfavoredOverload") }
  }
}
