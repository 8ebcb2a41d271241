// Finds the declarations of the symbols to which articles link.
import Foundation

/// A public declaration in the sources.
struct Declaration {
  /// The names of the types around it and its own, which has labels if it takes parameters: `["Publisher", "map(_:)"]`.
  var path: [String]
  var file: String
  var line: Int
  /// What is behind its parameters, without spaces: `->Publishers.Map<Self,T>`.
  var result: String
}

/// The declarations of a file, which `swift format` has indented, so that the type around a line is the last one above
/// it that is indented less.
struct DeclarationScanner {
  private struct Scope {
    var indentation: Int
    var path: [String]
    var keyword: Substring
    /// Whether what is declared in it is a member, rather than a local variable of a function.
    var hasMembers: Bool { ["struct", "class", "enum", "actor", "protocol", "extension"].contains(keyword) }
  }

  private let file: String
  private let lines: [String]
  private var scopes: [Scope] = []
  /// Whether the next declaration only explains a mistake, or leads from an old name to the new one.
  private var isWithdrawn = false
  private var declarations: [Declaration] = []

  static func declarations(in file: String) throws -> [Declaration] {
    var scanner = DeclarationScanner(
      file: file, lines: try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "\n"))
    scanner.scan()
    return scanner.declarations
  }

  private init(file: String, lines: [String]) {
    self.file = file
    self.lines = lines
  }

  private mutating func scan() {
    for (index, line) in lines.enumerated() {
      if line.contains("*, unavailable") || line.contains("*, deprecated") { isWithdrawn = true }
      guard let match = line.prefixMatch(of: Self.declaration) else { continue }
      // No list of parameters is longer than that.
      let behind = [String(line[match.range.upperBound...])] + lines[(index + 1)...].prefix(30)
      add(match.output, at: index + 1, Signature(behind.joined(separator: "\n")))
      isWithdrawn = false
    }
  }

  private mutating func add(_ line: Line, at number: Int, _ signature: Signature) {
    scopes.removeAll { $0.indentation >= line.indentation.count }
    guard scopes.last?.hasMembers != false else { return }
    let name = line.name.isEmpty ? String(line.keyword) : String(line.name)
    let types = scopes.last?.path ?? []
    let isPublic = line.modifiers.contains("public") || line.keyword == "case" || scopes.last?.keyword == "protocol"
    scopes.append(
      Scope(
        indentation: line.indentation.count, path: types + name.components(separatedBy: "."), keyword: line.keyword))
    guard isPublic, !isWithdrawn, line.keyword != "extension" else { return }
    let takesParameters = ["func", "init", "case", "subscript"].contains(line.keyword)
    let labels = takesParameters ? signature.labels : ""
    declarations.append(
      Declaration(path: types + [name + labels], file: file, line: number, result: signature.result))
  }

  private typealias Line = (
    Substring, indentation: Substring, modifiers: Substring, keyword: Substring, name: Substring
  )

  private static let declaration: Regex<Line> =
    #/
      (?<indentation>\ *)
      (?<modifiers>(?:@?\w+(?:\([^()]*\))?\ )*?)
      (?<keyword>struct|class|enum|actor|protocol|extension|typealias|func|var|let|case|init|subscript)\b
      \ ?`?(?<name>[\w.]*)`?
    /#
}

/// The labels and the result of a declaration, read from the text behind its name.
struct Signature {
  /// The labels as documentation writes them, such as `(_:to:)`, or nothing if there are no parentheses.
  let labels: String
  let result: String

  init(_ text: String) {
    // Otherwise, the point of an arrow would end the generic arguments around it.
    var rest = text.replacing("->", with: "→").drop { "?!".contains($0) }
    if rest.hasPrefix("<") { rest = rest.brackets.behind }
    if rest.hasPrefix("(") {
      labels = "(" + rest.brackets.inside.elements.map { Self.label(of: $0) + ":" }.joined() + ")"
      rest = rest.brackets.behind
    } else {
      labels = ""
    }
    let end = rest.range(of: "\n\n")?.lowerBound ?? rest.endIndex
    result = rest[..<end].prefix { $0 != "{" }.filter { !$0.isWhitespace }.replacing("→", with: "->")
  }

  /// Associated values of a case may lack a label.
  private static func label(of parameter: Substring) -> String {
    guard parameter.contains(":") else { return "_" }
    return String(parameter.trimmingPrefix(#/(?:\s|@\w+)*/#).prefix { !$0.isWhitespace && $0 != ":" })
  }
}

extension Substring {
  /// The text inside the brackets with which this text begins, and the text behind them.
  fileprivate var brackets: (inside: Substring, behind: Substring) {
    var depth = 0
    for index in indices {
      depth += self[index].nesting
      if depth == 0 { return (self[self.index(after: startIndex)..<index], self[self.index(after: index)...]) }
    }
    return (dropFirst(), "")
  }

  /// The parts between those commas that are not in brackets.
  fileprivate var elements: [Substring] {
    var depth = 0
    return split { character in
      depth += character.nesting
      return depth == 0 && character == ","
    }.filter { !$0.allSatisfy(\.isWhitespace) }
  }
}

extension Character {
  /// By how much it changes the number of brackets around what follows.
  fileprivate var nesting: Int { "([{<".contains(self) ? 1 : ")]}>".contains(self) ? -1 : 0 }
}

/// All public declarations of the package.
struct Declarations {
  private let all: [String: [Declaration]]

  init() throws {
    // The code of tutorials declares nothing of the package.
    let files = try FileManager.default.subpathsOfDirectory(atPath: "Sources").filter {
      $0.hasSuffix(".swift") && !$0.contains(".docc/")
    }
    let declarations = try files.flatMap { try DeclarationScanner.declarations(in: "Sources/\($0)") }
    all = Dictionary(grouping: declarations) { $0.path.joined(separator: "/") }
  }

  /// The declaration of a symbol. If it has several overloads, this is the one whose result the link states, or whose file
  /// has the symbol's name.
  func declaration(of symbol: SymbolLink) -> Declaration? {
    all[symbol.path.joined(separator: "/")]?.min { rank($0, symbol) < rank($1, symbol) }
  }

  private func rank(_ declaration: Declaration, _ symbol: SymbolLink) -> (Int, Int, String) {
    let returnsIt = symbol.suffix.hasPrefix("->") && declaration.result.contains(symbol.suffix)
    let stem = URL(fileURLWithPath: declaration.file).deletingPathExtension().lastPathComponent
    let hasItsName = stem.lowercased() == symbol.path.last?.prefix { $0 != "(" }.lowercased()
    return (returnsIt ? 0 : 1, hasItsName ? 0 : 1, declaration.file)
  }
}

/// A link to a symbol, such as `Publisher/map(_:)->Publishers.Map<Self,T>`.
struct SymbolLink {
  /// The names of the types around the symbol and its own.
  let path: [String]
  /// What tells the symbol from others of its name, with the sign that begins it.
  let suffix: String

  init?(_ link: String) {
    guard let match = link.wholeMatch(of: #/([\w/]+(?:\([\w:]*\))?)(-.+)?/#) else { return nil }
    path = match.1.split(separator: "/").map(String.init)
    suffix = String(match.2 ?? "")
  }

  /// The name that the documentation shows: types with the types around them, members without.
  var title: String {
    let name = path.last ?? ""
    return name.first?.isUppercase == true ? path.joined(separator: ".") : trimmed(title: name)
  }

  /// The same link without the module with which it may begin.
  var withoutModule: SymbolLink { SymbolLink(path: Array(path.dropFirst()), suffix: suffix) }

  private init(path: [String], suffix: String) {
    self.path = path
    self.suffix = suffix
  }
}
