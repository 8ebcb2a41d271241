import Foundation
import SymbolGraphs
import ToolsSupport

/// A declaration as a symbol graph spells it, in parts.
struct Parts {
  var modifiers: String
  var name: String
  var generics: String
  var parameters: [Parameter]
  var effects: String
  var requirements: String

  /// Nothing if the declaration has no parentheses.
  var takesParameters: Bool

  init(_ text: String) {
    var rest = Substring(text.replacing("\n", with: " "))
    let keyword = rest.firstMatch(of: #/\b(func|var|let|init)\b/#)!
    modifiers = String(rest[..<keyword.range.lowerBound]).replacing("@discardableResult ", with: "")
    rest = rest[keyword.range.upperBound...]
    self.name = keyword.output.1 == "init" ? "init" : String(rest.prefixMatch(of: #/ ?(`?\w+`?)/#)!.output.1)
    rest = rest.drop { $0 != "<" && $0 != "(" && $0 != ":" }
    generics = rest.first == "<" ? String(rest.takeBrackets()) : ""
    takesParameters = rest.first == "("
    parameters = takesParameters ? rest.takeBrackets().dropFirst().dropLast().elements.map { Parameter($0)! } : []
    let end = rest.firstMatch(of: #/->|\bwhere\b/#)?.range.lowerBound ?? rest.endIndex
    effects = takesParameters ? rest[..<end].trimmingCharacters(in: .whitespaces) : ""
    requirements = rest.firstMatch(of: #/ where (.*)/#).map { String($0.output.1) } ?? ""
  }
}

extension Parameter {
  /// A program that has the declaration itself does not write these.
  var isFilledIn: Bool { filledIn.contains(label) || defaultValue == "#isolation" }
  var argument: String { (label == "_" ? "" : "\(label): ") + value }
  private var value: String {
    if type.hasSuffix("...") { return "\(name)[0]" }
    if type.hasPrefix("inout ") { return "&\(name)" }
    return type.hasPrefix("@autoclosure") ? "\(name)()" : name
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension Substring {
  /// Removes the brackets with which this begins, and what they contain, and returns them.
  mutating func takeBrackets() -> Substring {
    var depth = 0
    for index in indices {
      if "([<".contains(self[index]) { depth += 1 }
      if ")]".contains(self[index]) || (self[index] == ">" && self[self.index(before: index)] != "-") { depth -= 1 }
      if depth == 0 {
        defer { self = self[self.index(after: index)...] }
        return self[...index]
      }
    }
    return self
  }
}
