import Foundation

/// A parameter as it is declared, such as `after date: Date = .now`.
public struct Parameter: Equatable {
  public let label: String
  public let name: String
  public let type: String
  public let defaultValue: String?

  public init?(_ text: Substring) {
    guard let match = text.wholeMatch(of: #/\s*(`?\w+`?)(?:\s+(`?\w+`?))?\s*:\s*(.+?)\s*/#) else { return nil }
    label = String(match.1)
    name = String(match.2 ?? match.1)
    let parts = match.3.components(separatedBy: " = ")
    type = parts[0].trimmingCharacters(in: .whitespaces)
    defaultValue = parts.count > 1 ? parts[1] : nil
  }

  public func declaration(keepingDefault: Bool) -> String {
    let names = label == name ? name : "\(label) \(name)"
    return "\(names): \(type)" + (keepingDefault ? defaultValue.map { " = \($0)" } ?? "" : "")
  }
}

extension Substring {
  /// The parts between those commas that are not in brackets.
  public var elements: [Substring] {
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
