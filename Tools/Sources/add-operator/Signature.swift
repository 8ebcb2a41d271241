import ArgumentParser

/// An operator as it is declared, such as `everyNth(_ count: Int)`.
struct Signature: ExpressibleByArgument, Equatable {
  struct Parameter: Equatable {
    let label: String
    let name: String
    let type: String

    var declaration: String { label == name ? "\(name): \(type)" : "\(label) \(name): \(type)" }
  }

  let name: String
  let parameters: [Parameter]

  init?(argument: String) {
    guard let match = argument.wholeMatch(of: #/([a-z]\w*)\((.*)\)/#) else { return nil }
    var parameters: [Parameter] = []
    for text in Self.elements(match.2) {
      guard let parts = text.wholeMatch(of: #/\s*(\w+)(?:\s+(\w+))?\s*:\s*(.+?)\s*/#) else { return nil }
      parameters.append(
        Parameter(label: String(parts.1), name: String(parts.2 ?? parts.1), type: String(parts.3)))
    }
    name = String(match.1)
    self.parameters = parameters
  }

  /// The parts between those commas that are not in brackets.
  private static func elements(_ text: Substring) -> [Substring] {
    var depth = 0
    var previous: Character = " "
    return text.split { character in
      defer { previous = character }
      if "([<".contains(character) { depth += 1 }
      if ")]".contains(character) || (character == ">" && previous != "-") { depth -= 1 }
      return depth == 0 && character == ","
    }
  }

  /// As documentation writes it.
  var text: String { "\(name)(\(parameters.map { "\($0.label):" }.joined()))" }

  /// As the names of its types begin.
  var typeName: String { name.prefix(1).uppercased() + name.dropFirst() }

  /// A call, whose arguments are yet to be filled in.
  var call: String {
    let arguments = parameters.map { ($0.label == "_" ? "" : "\($0.label): ") + "<#\($0.name)#>" }
    return "\(name)(\(arguments.joined(separator: ", ")))"
  }
}
