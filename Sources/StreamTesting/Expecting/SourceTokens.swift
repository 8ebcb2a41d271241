/// The tokens of a Swift source file, with the details that are needed to find a call and its arguments.
///
/// A string literal, with its interpolations, is one token, and so is a regular expression. Comments are left out. All
/// offsets count bytes, as the compiler's columns do.
struct SourceTokens {
  struct Token: Equatable {
    enum Kind: Equatable {
      /// An identifier, a keyword or a number.
      case word
      /// A string literal or a regular expression.
      case literal
      /// A byte of an operator or of punctuation, or a bracket.
      case mark(UInt8)
    }

    var kind: Kind
    var range: Range<Int>

    /// The index of the matching bracket, if this token is a bracket.
    var partner: Int?

    func isMark(_ character: Unicode.Scalar) -> Bool { kind == .mark(UInt8(ascii: character)) }
  }

  let bytes: [UInt8]
  private(set) var tokens: [Token] = []

  /// The offsets at which the lines begin.
  private(set) var lineStarts = [0]

  private var index = 0

  /// Reads the tokens, or returns `nil` if the text isn't UTF-8, if a literal or a comment doesn't end, or if brackets
  /// don't match.
  ///
  /// - Complexity: O(*n*), where *n* is the number of bytes.
  init?(_ bytes: [UInt8]) {
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    self.bytes = bytes
    for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { lineStarts.append(offset + 1) }
    guard readAll() else { return nil }
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func text(of token: Token) -> String { text(token.range) }

  /// Returns the number of the line that contains an offset, counted from 0.
  func line(of offset: Int) -> Int {
    var (low, high) = (0, lineStarts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns the range of a line, without the characters that end it.
  func range(ofLine line: Int) -> Range<Int> {
    let start = lineStarts[line]
    var end = line + 1 < lineStarts.count ? lineStarts[line + 1] - 1 : bytes.count
    if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return start..<end
  }

  /// Returns the spaces and tabs with which a line begins.
  func indentation(ofLine line: Int) -> String {
    let range = range(ofLine: line)
    let blanks = bytes[range].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return String(decoding: blanks, as: UTF8.self)
  }

  /// Returns the offset for a line and a column that the compiler has supplied, if the file has them.
  func offset(line: Int, column: Int) -> Int? {
    guard line >= 1, line <= lineStarts.count, column >= 1 else { return nil }
    let range = range(ofLine: line - 1)
    let offset = range.lowerBound + column - 1
    return offset < range.upperBound ? offset : nil
  }

  /// Returns the index of the token that begins at an offset.
  func index(at offset: Int) -> Int? {
    var (low, high) = (0, tokens.count)
    while low < high {
      let middle = (low + high) / 2
      if tokens[middle].range.lowerBound < offset { low = middle + 1 } else { high = middle }
    }
    return low < tokens.count && tokens[low].range.lowerBound == offset ? low : nil
  }
}

// MARK: - Reading

extension SourceTokens {
  private mutating func readAll() -> Bool {
    var open: [Int] = []
    while true {
      guard skipBlanksAndComments() else { return false }
      guard index < bytes.count else { return open.isEmpty }
      let start = index
      guard let kind = readToken() else { return false }
      var token = Token(kind: kind, range: start..<index)
      if case .mark(let byte) = kind {
        if Self.closing(byte) != nil {
          open.append(tokens.count)
        } else if Self.isClosing(byte) {
          guard let opening = open.popLast(), Self.closing(bytes[tokens[opening].range.lowerBound]) == byte else {
            return false
          }
          token.partner = opening
          tokens[opening].partner = tokens.count
        }
      }
      tokens.append(token)
    }
  }

  private static func closing(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "("): UInt8(ascii: ")")
    case UInt8(ascii: "["): UInt8(ascii: "]")
    case UInt8(ascii: "{"): UInt8(ascii: "}")
    default: nil
    }
  }

  private static func isClosing(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte) }

  private func has(_ text: StaticString, at index: Int) -> Bool {
    guard index + text.utf8CodeUnitCount <= bytes.count else { return false }
    return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[index + $0] == text.utf8Start[$0] }
  }

  /// Skips blanks and comments. Returns `false` if a comment doesn't end.
  private mutating func skipBlanksAndComments() -> Bool {
    while index < bytes.count {
      if Self.isBlank(bytes[index]) {
        index += 1
      } else if has("//", at: index) {
        index = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      } else if has("/*", at: index) {
        guard skipBlockComment() else { return false }
      } else {
        break
      }
    }
    return true
  }

  private mutating func skipBlockComment() -> Bool {
    var depth = 0
    while index < bytes.count {
      if has("/*", at: index) {
        depth += 1
        index += 2
      } else if has("*/", at: index) {
        depth -= 1
        index += 2
        if depth == 0 { return true }
      } else {
        index += 1
      }
    }
    return false
  }

  /// Reads one token and returns its kind, or `nil` if it doesn't end.
  private mutating func readToken() -> Token.Kind? {
    let byte = bytes[index]
    switch byte {
    case UInt8(ascii: "\""): return readString(hashes: 0) ? .literal : nil
    case UInt8(ascii: "#"):
      let hashes = bytes[index...].prefix { $0 == byte }.count
      if has("\"", at: index + hashes) {
        index += hashes
        return readString(hashes: hashes) ? .literal : nil
      }
      if has("/", at: index + hashes) {
        index += hashes
        return readExtendedExpression(hashes: hashes) ? .literal : nil
      }
      index += 1
      return .mark(byte)
    case UInt8(ascii: "`"):
      guard let end = bytes[(index + 1)...].firstIndex(of: byte) else { return nil }
      index = end + 1
      return .word
    case UInt8(ascii: "/"):
      if let end = endOfExpression() {
        index = end
        return .literal
      }
      index += 1
      return .mark(byte)
    case _ where Self.isWord(byte):
      while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
      return .word
    default:
      index += 1
      return .mark(byte)
    }
  }

  /// Reads a string from its first quotation mark on.
  private mutating func readString(hashes: Int) -> Bool {
    let isMultiline = isMultilineString()
    let quotes = isMultiline ? 3 : 1
    index += quotes
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        if hasEnd(quotes: quotes, hashes: hashes) {
          index += quotes + hashes
          return true
        }
        index += 1
      } else if byte == UInt8(ascii: "\\"), hasHashes(hashes, at: index + 1) {
        index += 1 + hashes
        if has("(", at: index) {
          guard skipInterpolation() else { return false }
        } else {
          index += 1
        }
      } else if byte == UInt8(ascii: "\n"), !isMultiline {
        return false
      } else {
        index += 1
      }
    }
    return false
  }

  /// Returns whether the string here is multi-line: its text begins on the line after the quotation marks. `#"""#` is a
  /// string that contains one quotation mark.
  private func isMultilineString() -> Bool {
    guard has("\"\"\"", at: index) else { return false }
    let rest = bytes[(index + 3)...].prefix { $0 != UInt8(ascii: "\n") }
    return rest.allSatisfy(Self.isBlank)
  }

  private func hasHashes(_ count: Int, at index: Int) -> Bool {
    index + count <= bytes.count && bytes[index..<index + count].allSatisfy { $0 == UInt8(ascii: "#") }
  }

  private func hasEnd(quotes: Int, hashes: Int) -> Bool {
    (quotes == 1 || has("\"\"\"", at: index)) && hasHashes(hashes, at: index + quotes)
  }

  /// Skips an interpolation, which may contain strings, from its opening parenthesis to the closing one.
  private mutating func skipInterpolation() -> Bool {
    var depth = 0
    while skipBlanksAndComments(), index < bytes.count, let kind = readToken() {
      if kind == .mark(UInt8(ascii: "(")) { depth += 1 }
      if kind == .mark(UInt8(ascii: ")")) { depth -= 1 }
      if depth == 0 { return true }
    }
    return false
  }

  /// Reads a regular expression between `#/` and `/#`, from the slash on.
  private mutating func readExtendedExpression(hashes: Int) -> Bool {
    index += 1
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "/"), hasHashes(hashes, at: index + 1) {
        index += 1 + hashes
        return true
      }
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return false
  }

  /// Returns the end of the regular expression that begins with the slash here, or `nil` if the slash is an operator.
  private func endOfExpression() -> Int? {
    let isPrefix = index == 0 || Self.isBlank(bytes[index - 1]) || "([{,;:=!".utf8.contains(bytes[index - 1])
    guard isPrefix, index + 1 < bytes.count, !Self.isBlank(bytes[index + 1]), !has(")", at: index + 1) else {
      return nil
    }
    var end = index + 1
    while end < bytes.count, bytes[end] != UInt8(ascii: "\n") {
      if bytes[end] == UInt8(ascii: "/") { return Self.isBlank(bytes[end - 1]) ? nil : end + 1 }
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }
}
