// Prints a file in which a program declares everything itself that Streams has and Combine lacks, and uses it. The file compiles
// only if the program's own declarations take precedence.
//
//     own-names members|types NAMES GRAPHS    # prints the members and nested types, or the other types; NAMES is Names.txt
//     own-names beyond NAMES GRAPHS           # prints what Combine lacks, apart from what explains mistakes
import Foundation

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
    parameters = takesParameters ? rest.takeBrackets().dropFirst().dropLast().elements.map(Parameter.init) : []
    let end = rest.firstMatch(of: #/->|\bwhere\b/#)?.range.lowerBound ?? rest.endIndex
    effects = takesParameters ? rest[..<end].trimmingCharacters(in: .whitespaces) : ""
    requirements = rest.firstMatch(of: #/ where (.*)/#).map { String($0.output.1) } ?? ""
  }
}

struct Parameter {
  var label: String
  var name: String
  var type: String
  var defaultValue: String?

  init(_ text: Substring) {
    let colon = text.firstIndex(of: ":")!
    let names = text[..<colon].split(separator: " ")
    (label, name) = (String(names[0]), String(names.last!))
    let parts = text[text.index(after: colon)...].components(separatedBy: " = ")
    type = parts[0].trimmingCharacters(in: .whitespaces)
    defaultValue = parts.count > 1 ? parts[1] : nil
  }

  /// A program that has the declaration itself does not write these.
  var isFilledIn: Bool { filledIn.contains(label) || defaultValue == "#isolation" }
  func declaration(keepingDefault: Bool) -> String {
    let names = label == name ? name : "\(label) \(name)"
    return "\(names): \(type)" + (keepingDefault ? defaultValue.map { " = \($0)" } ?? "" : "")
  }
  var argument: String {
    (label == "_" ? "" : "\(label): ") + value
  }
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

  /// The parts between those commas that are not in brackets.
  var elements: [Substring] {
    var depth = 0
    var previous: Character = " "
    return split { character in
      defer { previous = character }
      if "([<".contains(character) { depth += 1 }
      if ")]".contains(character) || (character == ">" && previous != "-") { depth -= 1 }
      return depth == 0 && character == ","
    }.map { $0.drop { $0 == " " } }
  }
}

extension Symbol {
  var isType: Bool {
    ["swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.typealias"].contains(kind)
  }
  var isMember: Bool {
    ["swift.method", "swift.type.method", "swift.property", "swift.type.property", "swift.init"].contains(kind)
  }
  var isUnavailable: Bool {
    (json["availability"] as? [[String: Any]] ?? []).contains { $0["isUnconditionallyUnavailable"] as? Bool == true }
  }
  /// The constraints of the extension that it is declared in.
  var extensionConstraints: String {
    let constraints = (json["swiftExtension"] as? [String: Any])?["constraints"] as? [[String: Any]] ?? []
    return constraints.map { constraint in
      let isSame = constraint["kind"] as? String == "sameType"
      // In an extension of `Clock`, `Duration` is that of the clock.
      let type = (constraint["rhs"] as? String ?? "").replacing(#/(^|<)Duration\b/#) { "\($0.1)Swift.Duration" }
      return "\(constraint["lhs"] as? String ?? "") \(isSame ? "==" : ":") \(type)"
    }.joined(separator: ", ")
  }

  /// Whether it is marked as disfavored. Symbol graphs lack this attribute, so it is read in the source.
  var isDisfavored: Bool {
    guard let location = json["location"] as? [String: Any], let uri = location["uri"] as? String,
      let line = (location["position"] as? [String: Any])?["line"] as? Int, let file = URL(string: uri),
      let lines = try? String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    else { return false }
    return lines[...line].reversed().prefix { !$0.contains("///") && !$0.allSatisfy(\.isWhitespace) }
      .contains { $0.contains("@_disfavoredOverload") }
  }
}

/// What Combine has, and what is left out for a reason.
struct Lists {
  private var combine: Set<String> = []
  private var leftOut: Set<String> = []
  private var shortened: Set<String> = []
  private var coreAdditions: Set<String> = []

  init(_ text: String) {
    var section = ""
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("[") { section = line }
      guard !line.isEmpty, !line.hasPrefix("#"), !line.hasPrefix("[") else { continue }
      switch section {
      case "[Combine]": combine.insert(line)
      case "[left out]": leftOut.insert(line)
      case "[requirements]": coreAdditions.insert(line)
      default: shortened.insert(line)
      }
    }
  }

  func isCombines(_ symbol: Symbol) -> Bool {
    combine.contains(symbol.path.last!) || combine.contains(symbol.path.joined(separator: "."))
  }
  func isLeftOut(_ symbol: Symbol) -> Bool {
    leftOut.contains(symbol.path.joined(separator: ".")) || leftOut.contains(symbol.path[0] + ".*")
  }
  /// Whether a program's own has precedence because it has fewer parameters, instead of because the package's is disfavored.
  func isShortened(_ symbol: Symbol) -> Bool { shortened.contains(symbol.path.joined(separator: ".")) }
  /// Whether it is a requirement that Combine's protocol lacks, which can stand nowhere but there.
  func isCoreAddition(_ symbol: Symbol) -> Bool { coreAdditions.contains(symbol.path.joined(separator: ".")) }
  func hasCombine(_ name: String) -> Bool { combine.contains(name) }
}

func member(_ symbol: Symbol) -> String {
  let parts = Parts(symbol.declaration.text)
  let parameters = parts.parameters.filter { !$0.isFilledIn && !(lists.isShortened(symbol) && $0.defaultValue != nil) }
  let requirements = parts.requirements.isEmpty ? "" : " where \(parts.requirements)"
  let extensionConstraints = symbol.extensionConstraints
  let effects = parts.effects.isEmpty ? "" : " \(parts.effects)"
  let awaiting =
    (parts.effects.contains(#/\brethrows|\bthrows/#) ? "try " : "")
    + (parts.effects.contains(#/\basync\b/#) ? "await " : "")
  let declared = parameters.map { $0.declaration(keepingDefault: true) }.joined(separator: ", ")
  let passed = parameters.map { $0.declaration(keepingDefault: false) }.joined(separator: ", ")
  let arguments = parameters.map(\.argument).joined(separator: ", ")
  let typeName = symbol.path.dropLast().joined(separator: ".")
  let isStatic = parts.modifiers.contains("static")
  let receiver = isStatic ? "Self" : "self"
  let use = "use" + parts.name.filter(\.isLetter).capitalizedFirst
  // As in the package, which of them takes a closure that fits several is decided by this attribute.
  let attribute = lists.isShortened(symbol) && symbol.isDisfavored ? "@_disfavoredOverload " : ""
  var lines = ["extension \(typeName)\(extensionConstraints.isEmpty ? "" : " where \(extensionConstraints)") {"]
  if parts.name == "init" {
    // The package's cannot fail, so that only the program's own has a value to unwrap.
    let convenience = classes.contains(symbol.path.dropLast()) ? "convenience " : ""
    lines.append("  \(convenience)init?\(parts.generics)(\(declared))\(effects)\(requirements) { return nil }")
    lines.append("  static func \(use)\(parts.generics)(\(passed))\(effects)\(requirements) {")
    lines.append("    let own = \(awaiting)Self(\(arguments))")
    lines.append("    _ = own!")
  } else if parts.takesParameters {
    lines.append(
      "  \(attribute)\(parts.modifiers)func \(parts.name)\(parts.generics)(\(declared))\(effects) -> Own\(requirements) { Own() }"
    )
    lines.append("  \(parts.modifiers)func \(use)\(parts.generics)(\(passed))\(effects) -> Own\(requirements) {")
    lines.append("    let own = \(awaiting)\(receiver).\(parts.name)(\(arguments))")
    lines.append("    return own")
  } else {
    lines.append("  \(isStatic ? "static " : "")var \(parts.name): Own { Own() }")
    lines.append("  \(isStatic ? "static " : "")func \(use)Property() -> Own {")
    lines.append("    let own = \(receiver).\(parts.name)")
    lines.append("    return own")
  }
  return (lines + ["  }", "}"]).joined(separator: "\n")
}

func type(_ symbol: Symbol) -> String {
  let name = symbol.path.last!
  let use = "use\(name)"
  guard symbol.path.count > 1 else {
    return
      "private struct \(name) { let own = Own() }\nprivate func \(use)(_ value: \(name)) -> Own { value.own }"
  }
  let parent = symbol.path.dropLast().joined(separator: ".")
  return """
    extension \(parent) {
      struct \(name) { let own = Own() }
    }
    func \(use)(_ value: \(parent).\(name)) -> Own { value.own }
    """
}

let arguments = Array(CommandLine.arguments.dropFirst())
let lists = Lists(try String(contentsOfFile: arguments[1], encoding: .utf8))
let allSymbols = try arguments.dropFirst(2).flatMap { try SymbolGraph(URL(fileURLWithPath: $0)).symbols }
if arguments[0] == "beyond" {
  for symbol in allSymbols where isBeyondCombine(symbol) { print(symbol.path.joined(separator: ".")) }
  exit(0)
}
let symbols =
  allSymbols
  .filter { ($0.isType || $0.isMember) && !$0.isUnavailable && !$0.path[0].hasPrefix("_") && !lists.isLeftOut($0) }
let classes = Set(symbols.filter { $0.kind == "swift.class" }.map(\.path))
let ownTypes = Set(symbols.filter { $0.isType && !$0.isInExtension && $0.path.count == 1 }.map { $0.path[0] })

/// Whether it is a member of a type that Combine has, or that another module has.
func isAddition(_ symbol: Symbol) -> Bool {
  let type = symbol.path.dropLast()
  if lists.hasCombine(type.joined(separator: ".")) { return true }
  return type.count == 1 && !ownTypes.contains(type[0])
}

/// Whether Combine has no such declaration. The operators of one type that fuse with the next are Combine's.
func isMissingInCombine(_ symbol: Symbol) -> Bool {
  !lists.isCombines(symbol) || (symbol.isDisfavored && symbol.path.count == 2)
}

func isOfProgram(_ symbol: Symbol) -> Bool {
  guard symbol.path.count > 1 else { return symbol.isType && !symbol.isInExtension && !lists.isCombines(symbol) }
  guard isAddition(symbol) else { return false }
  if symbol.isType { return !lists.isCombines(symbol) }
  return isMissingInCombine(symbol)
}

/// Whether it is neither in Combine nor an explanation of mistakes.
func isBeyondCombine(_ symbol: Symbol) -> Bool {
  guard symbol.kind != "swift.extension", symbol.kind != "swift.func.op", !symbol.isUnavailable else { return false }
  guard !symbol.path.contains(where: { $0.hasPrefix("_") }), !lists.isCoreAddition(symbol) else { return false }
  let uri = (symbol.json["location"] as? [String: Any])?["uri"] as? String ?? ""
  return !uri.contains("/Diagnostics/") && isMissingInCombine(symbol)
}

func isBefore(_ first: Symbol, _ second: Symbol) -> Bool {
  let names = [first, second].map { $0.path.joined(separator: ".") }
  return (names[0], first.declaration.text) < (names[1], second.declaration.text)
}

// A requirement and its default implementation are one declaration.
var seen: Set<String> = []
let wanted = symbols.filter { isOfProgram($0) && ($0.path.count > 1) == (arguments[0] == "members") }
  .sorted(by: isBefore)
  .filter { seen.insert("\($0.path) \($0.declaration.text) \($0.extensionConstraints)").inserted }
print("// Generated by .ci/own-names, which says what it is for.\n// swift-format-ignore-file")
print("import Dispatch\nimport Foundation\nimport StreamAlgorithms\nimport StreamFoundation")
for symbol in wanted {
  print()
  print(symbol.isType ? type(symbol) : member(symbol))
}
