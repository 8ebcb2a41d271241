/// The name of a type with its generic arguments, taken apart.
struct GenericType: Equatable {
  /// The name without its module and the types that it is nested in: `MapSubscriber`.
  let name: String
  /// The name with everything that it is nested in, but without arguments: `Streams.MapSubscriber`.
  let qualifiedName: String
  let arguments: [GenericType]

  init(_ type: Any.Type) { self.init(text: _typeName(type, qualified: true)) }

  init(text: some StringProtocol) {
    var depth = 0
    var first: String.Index?
    var pieces: [Substring] = []
    var plain = ""
    let text = Substring(text)
    var start = text.startIndex
    var last: Character = " "
    for index in text.indices {
      let character = text[index]
      defer { last = character }
      switch character {
      case "<", "(", "[":
        if character == "<" {
          if depth == 0 {
            if first == nil { first = index }
            start = text.index(after: index)
            depth += 1
            // The arguments of the innermost type are those that count: `Published<Int>.Publisher<…>`.
            pieces = []
            continue
          }
        }
        depth += 1
        if depth == 1 { plain += character == "(" ? "(…" : "[" }
      case ">", ")", "]":
        // An arrow of a function type is no bracket.
        if character == ">", last == "-" {
          if depth == 0 { plain.append(character) }
          continue
        }
        depth -= 1
        if depth == 0, character == ">", first != nil {
          pieces.append(text[start..<index])
        } else if depth == 0 {
          plain.append(character)
        }
      case ",":
        if depth == 1, first != nil {
          pieces.append(text[start..<index])
          start = text.index(after: index)
        }
      default: if depth == 0 { plain.append(character) }
      }
    }
    qualifiedName = plain
    name = plain.split(separator: ".").last.map(String.init) ?? plain
    arguments = pieces.map { GenericType(text: $0.drop { $0 == " " }) }
  }

  /// The type as a user writes it: without modules.
  var text: String {
    switch name {
    case "Array" where arguments.count == 1: "[\(arguments[0].text)]"
    case "Optional" where arguments.count == 1: "\(arguments[0].text)?"
    case _ where arguments.isEmpty: name
    default: "\(name)<\(arguments.map(\.text).joined(separator: ", "))>"
    }
  }
}
