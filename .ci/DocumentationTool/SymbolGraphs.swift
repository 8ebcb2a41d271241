// Reads, checks and shortens the symbol graphs from which the documentation is built.
import Foundation

/// Parameters with default values such as `#file`, which callers do not write.
let filledIn: Set<String> = ["fileID", "filePath", "file", "line", "column", "function"]

struct Fragment {
  var kind: String
  var spelling: String
  var preciseIdentifier: String?
}

extension [Fragment] {
  var text: String { map(\.spelling).joined() }

  /// The same declaration without some parameters.
  func trimmed(without names: Set<String>) -> [Fragment] {
    // One element for each character, so that the declaration can be divided where its parameters end.
    let characters = flatMap { fragment in
      fragment.spelling.map {
        Fragment(kind: fragment.kind, spelling: String($0), preciseIdentifier: fragment.preciseIdentifier)
      }
    }
    // The parameters are in the first parentheses behind the name, and behind its generic parameters.
    var angles = 0
    var isBehindName = false
    guard
      let open = characters.indices.first(where: { index in
        let character = characters[index]
        if character.kind == "identifier" || (character.kind == "keyword" && character.spelling == "t") {
          isBehindName = true
        }
        if character.spelling == "<" { angles += 1 }
        if character.spelling == ">", angles > 0 { angles -= 1 }
        return isBehindName && angles == 0 && character.spelling == "(" && character.kind == "text"
      })
    else { return self }
    var depth = 0
    var parameters: [[Fragment]] = [[]]
    var close = characters.endIndex
    for index in characters.indices[(open + 1)...] {
      let character = characters[index]
      let isArrow = character.spelling == ">" && characters[index - 1].spelling == "-"
      if "([<{".contains(character.spelling) { depth += 1 }
      if ")]>}".contains(character.spelling), !isArrow {
        if depth == 0 {
          close = index
          break
        }
        depth -= 1
      }
      if character.spelling == ",", depth == 0 {
        parameters.append([])
      } else {
        parameters[parameters.count - 1].append(character)
      }
    }
    let kept = parameters.filter { parameter in
      !names.contains(
        String(parameter.text.drop { $0.isWhitespace }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }))
    }
    guard kept.count < parameters.count else { return self }
    var result = Array(characters[...open])
    for (index, parameter) in kept.enumerated() {
      if index > 0 { result.append(Fragment(kind: "text", spelling: ",")) }
      result += index == 0 ? Array(parameter.drop { $0.spelling.allSatisfy(\.isWhitespace) }) : parameter
    }
    result += characters[close...]
    return result.reduce(into: []) { fragments, character in
      if let last = fragments.last, last.kind == character.kind, last.preciseIdentifier == character.preciseIdentifier {
        fragments[fragments.count - 1].spelling += character.spelling
      } else {
        fragments.append(character)
      }
    }
  }
}

/// A symbol as JSON, with what is needed of it.
struct Symbol {
  var json: [String: Any]

  var kind: String { (json["kind"] as? [String: Any])?["identifier"] as? String ?? "" }
  var path: [String] { json["pathComponents"] as? [String] ?? [] }
  var identifier: String { (json["identifier"] as? [String: Any])?["precise"] as? String ?? "" }
  var isInExtension: Bool { json["swiftExtension"] != nil }
  var comment: String? {
    let lines = (json["docComment"] as? [String: Any])?["lines"] as? [[String: Any]]
    return lines?.compactMap { $0["text"] as? String }.joined(separator: "\n")
  }
  var place: String {
    guard let location = json["location"] as? [String: Any], let uri = location["uri"] as? String,
      let line = (location["position"] as? [String: Any])?["line"] as? Int
    else { return path.joined(separator: ".") }
    let file = uri.components(separatedBy: "/Sources/").last.map { "Sources/\($0)" } ?? uri
    return "\(file):\(line + 1): \(path.joined(separator: "."))"
  }
  var signature: [String: Any]? { json["functionSignature"] as? [String: Any] }
  var parameters: [String] {
    let parameters = signature?["parameters"] as? [[String: Any]] ?? []
    return parameters.compactMap { $0["internalName"] as? String ?? $0["name"] as? String }
  }
  func describes(_ parameter: String) -> Bool {
    comment?.range(of: #"- (Parameter )?`?\#(parameter)`?:"#, options: .regularExpression) != nil
  }
  var result: String { Self.fragments(signature?["returns"]).text }
  var declaration: [Fragment] { Self.fragments(json["declarationFragments"]) }

  static func fragments(_ json: Any?) -> [Fragment] {
    guard let json = json as? [[String: Any]] else { return [] }
    return json.map {
      Fragment(
        kind: $0["kind"] as? String ?? "", spelling: $0["spelling"] as? String ?? "",
        preciseIdentifier: $0["preciseIdentifier"] as? String)
    }
  }

  static func json(_ fragments: [Fragment]) -> [[String: Any]] {
    fragments.map { fragment in
      var json: [String: Any] = ["kind": fragment.kind, "spelling": fragment.spelling]
      json["preciseIdentifier"] = fragment.preciseIdentifier
      return json
    }
  }
}

// MARK: - Trimming

/// A title such as `record(demand:line:)` without the labels of parameters that the compiler fills in.
func trimmed(title: String) -> String {
  guard let open = title.firstIndex(of: "("), title.hasSuffix(")") else { return title }
  let labels = title[title.index(after: open)...].dropLast().split(separator: ":")
  return title[...open] + labels.filter { !filledIn.contains(String($0)) }.map { $0 + ":" }.joined() + ")"
}

func trim(_ symbol: inout Symbol) {
  guard var signature = symbol.signature else { return }
  // A declaration keeps those that its comment describes.
  let parameters = signature["parameters"] as? [[String: Any]] ?? []
  let undescribed = parameters.filter { parameter in
    ![parameter["name"], parameter["internalName"]].compactMap { $0 as? String }.contains(where: symbol.describes)
  }
  let omitted = filledIn.intersection(undescribed.compactMap { $0["name"] as? String })
  symbol.json["declarationFragments"] = Symbol.json(symbol.declaration.trimmed(without: omitted))
  if var names = symbol.json["names"] as? [String: Any] {
    if let title = names["title"] as? String { names["title"] = trimmed(title: title) }
    for key in ["subHeading", "navigator"] where names[key] != nil {
      names[key] = Symbol.json(Symbol.fragments(names[key]).trimmed(without: filledIn))
    }
    symbol.json["names"] = names
  }
  signature["parameters"] = parameters.filter { !omitted.contains($0["name"] as? String ?? "") }
  symbol.json["functionSignature"] = signature
}

// MARK: - Telling apart

extension Symbol {
  /// What the generic parameters of a declaration, and of the extension that it is in, are required to be.
  var constraints: [String] {
    let lists = ["swiftGenerics", "swiftExtension"].map { (json[$0] as? [String: Any])?["constraints"] }
    return lists.flatMap { $0 as? [[String: Any]] ?? [] }.map { constraint in
      let sides = ["lhs", "rhs"].map { constraint[$0] as? String ?? "" }
      return sides.joined(separator: constraint["kind"] as? String == "sameType" ? " == " : ": ")
    }
  }

  /// The declaration as lists of symbols show it.
  var heading: [Fragment] {
    get { Self.fragments((json["names"] as? [String: Any])?["subHeading"]) }
    set {
      guard var names = json["names"] as? [String: Any] else { return }
      names["subHeading"] = Self.json(newValue)
      json["names"] = names
    }
  }
}

/// Appends to declarations that look alike in a list the constraints in which they differ.
func tellApart(_ symbols: inout [Symbol]) {
  let alike = Dictionary(grouping: symbols.indices) { symbols[$0].path.dropLast() + [symbols[$0].heading.text] }
  for group in alike.values where group.count > 1 {
    let shared = group.map { Set(symbols[$0].constraints) }.reduce(Set(symbols[group[0]].constraints)) {
      $0.intersection($1)
    }
    for index in group {
      let own = symbols[index].constraints.filter { !shared.contains($0) }
      guard !own.isEmpty else { continue }
      symbols[index].heading.append(Fragment(kind: "text", spelling: " where \(own.joined(separator: ", "))"))
    }
  }
}

// MARK: - Checking

/// What a comment does not describe.
func omissions(_ symbol: Symbol, isInherited: Bool) -> [String] {
  guard let comment = symbol.comment else {
    // A property wrapper's projection has no place for a comment.
    return isInherited || symbol.path.last?.hasPrefix("$") == true ? [] : ["is not documented"]
  }
  // Operators of the standard library's protocols mean what they mean there; what has no location is synthesized.
  guard symbol.signature != nil, symbol.json["location"] != nil, symbol.kind != "swift.func.op" else {
    return []
  }
  var omissions: [String] = []
  for name in symbol.parameters where !filledIn.contains(name) {
    if !symbol.describes(name) {
      omissions.append("does not describe the parameter \(name)")
    }
  }
  let returnsNothing = ["", "()", "Void", "Never"].contains(symbol.result)
  if symbol.kind != "swift.init", !returnsNothing, !comment.contains("- Returns:") {
    omissions.append("does not describe its result")
  }
  if throwsErrors(symbol.declaration.text), !comment.contains("- Throws:") {
    omissions.append("does not describe its errors")
  }
  // An operator, rather than a way to record a publisher or to wait for it.
  guard symbol.path.first == "Publisher" || symbol.path.first == "ConnectablePublisher", symbol.isInExtension,
    symbol.kind == "swift.method", !returnsNothing,
    !["blocking", "record"].contains(where: { symbol.path.last!.hasPrefix($0) })
  else { return omissions }
  func mentions(_ pattern: String) -> Bool { comment.range(of: pattern, options: .regularExpression) != nil }
  if !comment.contains("- Complexity:") { omissions.append("does not state its complexity") }
  // Another operator's comment counts for one that refers to it.
  let reference = "behaves\\s+like|it\\s+is the same"
  if !mentions("[Dd]emand|[Rr]equest|\(reference)") {
    omissions.append("does not say how demand passes through it")
  }
  if !mentions("[Cc]ancel|[Cc]omplet|[Ff]inish|[Ff]ail|\(reference)") {
    omissions.append("does not say when it ends")
  }
  if symbol.parameters.contains("scheduler"), !mentions("scheduler") {
    omissions.append("does not say what happens on its scheduler")
  }
  // A count has values that make no sense.
  if symbol.declaration.text.contains(": Int"),
    !mentions("Precondition|stops the program|at least|[Nn]egative|positive|less than")
  {
    omissions.append("does not say which counts are invalid, and what an invalid count does")
  }
  return omissions
}

/// Whether a function throws, rather than a closure that it takes.
func throwsErrors(_ declaration: String) -> Bool {
  var depth = 0
  var outside = ""
  for character in declaration {
    if character == "(" { depth += 1 }
    if depth == 0 { outside.append(character) }
    if character == ")" { depth -= 1 }
  }
  let effects = outside.components(separatedBy: "->").first ?? outside
  return effects.components(separatedBy: " ").contains("throws")
}

// MARK: - Files

/// A symbol graph as JSON, with its symbols.
struct SymbolGraph {
  let file: URL
  var json: [String: Any]
  var symbols: [Symbol]

  init(_ file: URL) throws {
    guard let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any],
      let symbols = (json["symbols"] as? [[String: Any]])?.map(Symbol.init)
    else { fatalError("\(file.path) is not a symbol graph") }
    self.file = file
    self.json = json
    self.symbols = symbols
  }
}

func trim(_ file: URL) throws {
  var graph = try SymbolGraph(file)
  for index in graph.symbols.indices { trim(&graph.symbols[index]) }
  tellApart(&graph.symbols)
  graph.json["symbols"] = graph.symbols.map(\.json)
  try JSONSerialization.data(withJSONObject: graph.json).write(to: file)
}

func checkSymbols(of file: URL) throws -> Int {
  let graph = try SymbolGraph(file)
  let relationships = graph.json["relationships"] as? [[String: Any]] ?? []
  let inherited = Set(relationships.filter { $0["sourceOrigin"] != nil }.compactMap { $0["source"] as? String })
  var count = 0
  for symbol in graph.symbols where symbol.kind != "swift.extension" {
    for omission in omissions(symbol, isInherited: inherited.contains(symbol.identifier)) {
      print("error: \(symbol.place) \(omission)")
      count += 1
    }
  }
  return count
}
