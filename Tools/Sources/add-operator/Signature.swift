import ArgumentParser
import ToolsSupport

/// An operator as it is declared, such as `everyNth(_ count: Int)`.
struct Signature: ExpressibleByArgument, Equatable {
  let name: String
  let parameters: [Parameter]

  init?(argument: String) {
    guard let match = argument.wholeMatch(of: #/([a-z]\w*)\((.*)\)/#) else { return nil }
    let parameters = match.2.elements.map { Parameter($0) }
    guard !parameters.contains(nil) else { return nil }
    name = String(match.1)
    self.parameters = parameters.compactMap { $0 }
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
