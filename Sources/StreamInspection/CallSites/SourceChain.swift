internal import Streams

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin  // Not yet compiled.
#elseif canImport(Musl)
  internal import Musl  // Not yet compiled.
#elseif canImport(Android)
  internal import Android  // Not yet compiled.
#endif

/// A chain of calls in a source file, such as `feed.map { … }.filter { … }.sink { … }`, from its last call upwards.
struct SourceChain {
  /// A call of the chain.
  struct Call: Equatable {
    let name: String
    let line: Int
  }

  private(set) var calls: [Call] = []

  /// What the chain begins at, as far as it's a name: `feed`.
  private(set) var base: String?

  /// Reads the chain whose last call is at a place, if the file is there.
  ///
  /// - Complexity: O(*n*) for the first place in a file of *n* bytes that is asked for, O(1) for the next.
  init?(endingAt place: CodeLine) {
    guard let path = place.path, let line = place.line, let source = SourceText.shared(path) else { return nil }
    self.init(source, endingAt: line)
  }

  /// Reads a chain backwards from the end of a line.
  init?(_ source: SourceText, endingAt line: Int) {
    guard let start = source.endOfCall(on: line) else { return nil }
    var position = start
    while let name = source.call(endingAt: &position) {
      calls.append(Call(name: name, line: source.line(at: position)))
      guard source.skipPeriod(&position) else {
        // The outermost name wasn't called on anything.
        return
      }
    }
    base = source.name(endingAt: position)
  }
}

/// The text of a source file, without comments and the contents of strings.
struct SourceText {
  private var bytes: [UInt8]
  /// The position of the first byte of each line.
  private var starts: [Int] = [0]

  // `Locked` is not marked as sendable: its lock protects the state.
  private nonisolated(unsafe) static let known = Locked<[String: SourceText?]>([:])

  /// The text of a file, which is looked for and read once.
  static func shared(_ path: String) -> SourceText? {
    if let text = known.withLock({ $0[path] }) { return text }
    let text = read(path)
    known.withLock { known in
      if known.count >= 32 { known = [:] }
      known[path] = .some(text)
    }
    return text
  }

  private static func read(_ path: String) -> SourceText? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while bytes.count < 4_000_000 {
      let count = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: 65_536))
      let read = bytes.withUnsafeMutableBytes { fread($0.baseAddress! + count, 1, 65_536, file) }
      bytes.removeLast(65_536 - read)
      if read == 0 { break }
    }
    return SourceText(bytes)
  }

  /// Blanks comments and strings, whose brackets don't count.
  init(_ text: [UInt8]) {
    bytes = text
    var position = 0
    let end = bytes.count
    func byte(_ offset: Int) -> UInt8 { offset < end ? text[offset] : 0 }
    while position < end {
      switch text[position] {
      case UInt8(ascii: "\n"):
        starts.append(position + 1)
        position += 1
      case UInt8(ascii: "/") where byte(position + 1) == UInt8(ascii: "/"):
        while position < end, text[position] != UInt8(ascii: "\n") {
          bytes[position] = UInt8(ascii: " ")
          position += 1
        }
      case UInt8(ascii: "\""):
        let isLong = byte(position + 1) == UInt8(ascii: "\"") && byte(position + 2) == UInt8(ascii: "\"")
        position += isLong ? 3 : 1
        while position < end {
          if text[position] == UInt8(ascii: "\n") {
            starts.append(position + 1)
            if !isLong { break }
          } else if text[position] == UInt8(ascii: "\\") {
            bytes[position] = UInt8(ascii: " ")
            position += 1
            if position < end { bytes[position] = UInt8(ascii: " ") }
          } else if text[position] == UInt8(ascii: "\"") {
            if !isLong { break }
            if byte(position + 1) == UInt8(ascii: "\""), byte(position + 2) == UInt8(ascii: "\"") {
              position += 2
              break
            }
          } else {
            bytes[position] = UInt8(ascii: " ")
          }
          position += 1
        }
        position += 1
      default: position += 1
      }
    }
  }

  /// The number of the line at a position.
  func line(at position: Int) -> Int {
    var (low, high) = (0, starts.count)
    while low + 1 < high {
      let middle = (low + high) / 2
      if starts[middle] <= position { low = middle } else { high = middle }
    }
    return low + 1
  }

  /// The position behind the call of `sink`, or what else ends a chain, on a line.
  func endOfCall(on line: Int) -> Int? {
    guard line >= 1, line <= starts.count else { return nil }
    let end = line < starts.count ? starts[line] : bytes.count
    let text = bytes[starts[line - 1]..<end]
    let names = ["sink", "assign", "values", "subscribe"].compactMap { name in
      text.firstRange(of: Array(".\(name)".utf8))?.upperBound
    }
    return names.min()
  }

  /// Reads the name and the arguments of a call backwards. Leaves the position at the first letter of the name.
  func call(endingAt position: inout Int) -> String? {
    skipBlanks(&position)
    while position > 0, let opening = Self.opening[bytes[position - 1]] {
      let closing = bytes[position - 1]
      var depth = 0
      repeat {
        position -= 1
        if bytes[position] == closing { depth += 1 } else if bytes[position] == opening { depth -= 1 }
      } while depth > 0 && position > 0
      skipBlanks(&position)
    }
    guard let name = name(endingAt: position) else { return nil }
    position -= name.utf8.count
    return name
  }

  private static let opening = [
    UInt8(ascii: ")"): UInt8(ascii: "("), UInt8(ascii: "}"): UInt8(ascii: "{"), UInt8(ascii: "]"): UInt8(ascii: "["),
  ]

  /// The name that ends at a position.
  func name(endingAt position: Int) -> String? {
    var start = position
    while start > 0, Self.isInName(bytes[start - 1]) { start -= 1 }
    return start < position ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private func skipBlanks(_ position: inout Int) {
    while position > 0,
      bytes[position - 1] == UInt8(ascii: " ") || bytes[position - 1] == UInt8(ascii: "\n")
        || bytes[position - 1] == UInt8(ascii: "\t")
    {
      position -= 1
    }
  }

  /// Skips a period before a name. Returns false if there is none.
  func skipPeriod(_ position: inout Int) -> Bool {
    var start = position
    if start > 0, bytes[start - 1] == UInt8(ascii: ".") { start -= 1 } else { return false }
    if start > 0, bytes[start - 1] == UInt8(ascii: "?") || bytes[start - 1] == UInt8(ascii: "!") { start -= 1 }
    skipBlanks(&start)
    position = start
    return true
  }
}
