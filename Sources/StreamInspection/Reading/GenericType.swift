internal import Streams

/// The parsed name of a type, with its generic arguments.
struct GenericType: Equatable {
  /// The name without its module and the types that it's nested in: `MapSubscriber`.
  let name: String
  /// The name with everything that it's nested in, but without arguments: `Streams.MapSubscriber`.
  let qualifiedName: String
  let arguments: [GenericType]

  /// The types that have been parsed. They're cached because the name of a source's type contains the names of all of
  /// its subscribers' types.
  // `Locked` isn't marked as sendable: its lock protects the state.
  private nonisolated(unsafe) static let known = Locked<[ObjectIdentifier: GenericType]>([:])

  init(_ type: Any.Type) {
    let id = ObjectIdentifier(type)
    if let known = Self.known.withLock({ $0[id] }) {
      self = known
    } else {
      let new = GenericType(text: _typeName(type, qualified: true))
      Self.known.withLock { $0[id] = new }
      self = new
    }
  }

  init(text: some StringProtocol) {
    var text = String(text)
    self = text.withUTF8 { GenericType($0[...]) }
  }

  // Parses bytes, because characters take a hundred times as long.
  private init(_ text: Slice<UnsafeBufferPointer<UInt8>>) {
    if text.elementsEqual("()".utf8) {
      (name, qualifiedName, arguments) = ("Void", "Void", [])
      return
    }
    var depth = 0
    var isGeneric = false
    var pieces: [Slice<UnsafeBufferPointer<UInt8>>] = []
    var plain: [UInt8] = []
    var start = text.startIndex
    var last = UInt8(ascii: " ")
    for index in text.indices {
      let character = text[index]
      defer { last = character }
      switch character {
      case UInt8(ascii: "<") where depth == 0:
        isGeneric = true
        start = index + 1
        depth = 1
        // Only the arguments of the innermost type count: `Published<Int>.Publisher<…>`.
        pieces = []
      case UInt8(ascii: "<"), UInt8(ascii: "("), UInt8(ascii: "["):
        depth += 1
        if depth == 1 {
          plain.append(character)
          // The content of parentheses is left out.
          if character == UInt8(ascii: "(") { plain += "…".utf8 }
        }
      case UInt8(ascii: ">") where last == UInt8(ascii: "-"):
        // The arrow of a function type isn't a bracket.
        if depth == 0 { plain.append(character) }
      case UInt8(ascii: ">"), UInt8(ascii: ")"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0, character == UInt8(ascii: ">"), isGeneric {
          pieces.append(text[start..<index])
        } else if depth == 0 {
          plain.append(character)
        }
      case UInt8(ascii: ",") where depth == 1 && isGeneric:
        pieces.append(text[start..<index])
        start = index + 1
      case UInt8(ascii: ","): break
      default: if depth == 0 { plain.append(character) }
      }
    }
    qualifiedName = String(decoding: plain, as: UTF8.self)
    name = plain.split(separator: UInt8(ascii: ".")).last.map { String(decoding: $0, as: UTF8.self) } ?? qualifiedName
    arguments = pieces.map { GenericType($0.drop { $0 == UInt8(ascii: " ") }) }
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
