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

/// A chain of calls in a source file, such as `feed.map { … }.filter { … }.sink { … }`, from its last call upward.
struct SourceChain {
  struct Call: Equatable {
    let name: String
    let line: Int
    /// The call with its arguments and closures.
    let text: String
  }

  /// The calls, the last one first.
  private(set) var calls: [Call] = []

  /// The base of the chain, if it's a name: `feed`.
  private(set) var base: String?

  let source: SourceText
  /// The position of the chain's first letter.
  private(set) var start: Int
  /// The position after the arguments of the chain's last call.
  let end: Int

  /// Reads the chain whose last call is at a place, if the file exists.
  ///
  /// - Complexity: O(*n*) for the first place in a file of *n* bytes, O(1) for later ones.
  init?(endingAt place: CodeLine) {
    guard let path = place.path, let line = place.line, let source = SourceText.shared(path) else { return nil }
    self.init(source, endingAt: line)
  }

  /// Reads the chain that ends on a line, from its last call backward.
  init?(_ source: SourceText, endingAt line: Int) {
    guard let endOfName = source.endOfCall(on: line) else { return nil }
    self.init(source, from: endOfName, to: source.endOfArguments(after: endOfName))
  }

  /// Reads a chain backward, given the position after the name of its last call, or after that call.
  private init(_ source: SourceText, from position: Int, to end: Int) {
    (self.source, self.end, start) = (source, end, position)
    var (position, callEnd) = (position, end)
    while let name = source.call(endingAt: &position) {
      start = position
      calls.append(Call(name: name, line: source.line(at: position), text: source.text(position..<callEnd)))
      guard source.skipPeriod(&position) else {
        // The outermost name wasn't called on anything.
        return
      }
      callEnd = position
    }
    base = source.name(endingAt: position)
    if let base { start = position - base.utf8.count }
  }

  private static let knownCalls = PlaceCache<[Call]>()

  /// Returns the calls, the last one first. Each use of a function or a variable of the same file is followed by the calls that
  /// make its value. The result for each place is cached, because live streams are read again and again.
  func expandedCalls(at place: CodeLine) -> [Call] {
    Self.knownCalls.value(at: place) { expandedCalls(nesting: 0) }
  }

  private func expandedCalls(nesting: Int) -> [Call] {
    // A function may call itself.
    guard nesting < 4 else { return calls }
    let made = { [source] (name: String, isFunction: Bool) in
      source.endOfValue(of: name, isFunction: isFunction)
        .map { SourceChain(source, from: $0, to: $0).expandedCalls(nesting: nesting + 1) } ?? []
    }
    return calls.flatMap { [$0] + made($0.name, $0.text != $0.name) } + (base.map { made($0, false) } ?? [])
  }
}

/// The text of a source file, without line comments and without the contents of strings.
struct SourceText {
  private(set) var bytes: [UInt8]
  /// The position of the first byte of each line.
  private var starts: [Int] = [0]

  // `Locked` isn't marked as sendable: its lock protects the state.
  private nonisolated(unsafe) static let known = Locked<[String: SourceText?]>([:])

  /// Returns the text of a file, which is cached.
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

  /// Creates a text in which blanks replace comments and strings, so that brackets in them aren't counted.
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

  func line(at position: Int) -> Int {
    var (low, high) = (0, starts.count)
    while low + 1 < high {
      let middle = (low + high) / 2
      if starts[middle] <= position { low = middle } else { high = middle }
    }
    return low + 1
  }

  /// Returns the position after the name of a call, such as `sink`, that ends a chain on a line.
  func endOfCall(on line: Int) -> Int? {
    guard line >= 1, line <= starts.count else { return nil }
    let end = line < starts.count ? starts[line] : bytes.count
    let text = bytes[starts[line - 1]..<end]
    // `subscribe(on:)` doesn't end a chain, and a closure may contain the other names.
    return ["sink", "assign", "values", "subscribe"].lazy.compactMap { name in
      text.firstRange(of: Array(".\(name)".utf8))?.upperBound
    }.first
  }

  /// Returns the position after the arguments and trailing closures of a call whose name ends at a position.
  func endOfArguments(after position: Int) -> Int {
    var end = position
    while true {
      var next = end
      while next < bytes.count, Self.isBlank(bytes[next]) { next += 1 }
      // A label of another trailing closure.
      var label = next
      while label < bytes.count, Self.isInName(bytes[label]) { label += 1 }
      if label > next, end > position, label < bytes.count, bytes[label] == UInt8(ascii: ":") {
        next = label + 1
        while next < bytes.count, Self.isBlank(bytes[next]) { next += 1 }
      }
      guard next < bytes.count, bytes[next] == UInt8(ascii: "(") || bytes[next] == UInt8(ascii: "{") else { return end }
      guard let closing = self.closing(of: next) else { return end }
      end = closing + 1
    }
  }

  /// Returns the position of the bracket that closes the one at a position.
  private func closing(of position: Int) -> Int? {
    let (opening, closing) = (
      bytes[position], bytes[position] == UInt8(ascii: "(") ? UInt8(ascii: ")") : UInt8(ascii: "}")
    )
    var depth = 0
    for index in position..<bytes.count {
      if bytes[index] == opening { depth += 1 } else if bytes[index] == closing { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  /// The functions that the file declares, with their bodies.
  ///
  /// - Complexity: O(*n* + *m*), where *n* is the number of bytes, and *m* is the length of the bodies.
  var functions: [(name: String, body: String)] {
    bytes[...].ranges(of: Array("func ".utf8)).compactMap { keyword in
      let start = keyword.upperBound
      let end = bytes[start...].firstIndex { !Self.isInName($0) } ?? bytes.count
      // A protocol requirement doesn't have a body.
      guard start < end,
        let opening = bytes[end...].firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }),
        bytes[opening] == UInt8(ascii: "{"), !bytes[end..<opening].contains(Array("func ".utf8)),
        let closing = closing(of: opening)
      else { return nil }
      return (text(start..<end), text(opening..<closing))
    }
  }

  /// Returns the position after the last expression of a function, or after the value of a variable. Returns `nil` unless the
  /// file declares exactly one with this name, and with a value.
  func endOfValue(of name: String, isFunction: Bool) -> Int? {
    let keywords = isFunction ? ["func "] : ["let ", "var "]
    let ends = keywords.flatMap { bytes[...].ranges(of: Array("\($0)\(name)".utf8)).map(\.upperBound) }
      .filter { $0 < bytes.count && !Self.isInName(bytes[$0]) }
    guard ends.count == 1 else { return nil }
    guard isFunction else { return endOfVariable(after: ends[0]) }
    guard let parameters = bytes[ends[0]...].firstIndex(of: UInt8(ascii: "(")), let end = closing(of: parameters) else {
      return nil
    }
    return endOfBody(after: end)
  }

  /// Returns the position of the last letter of the body that follows a position, if there's a body before the next declaration.
  private func endOfBody(after position: Int) -> Int? {
    let end = bytes[position...].firstIndex { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
    guard let end, bytes[end] == UInt8(ascii: "{"), var last = closing(of: end) else { return nil }
    skipBlanks(&last)
    return last
  }

  private func endOfVariable(after position: Int) -> Int? {
    let isEnd = Set("={\n".utf8)
    guard var end = bytes[position...].firstIndex(where: isEnd.contains), bytes[end] != UInt8(ascii: "\n") else {
      return nil
    }
    if bytes[end] == UInt8(ascii: "{") { return endOfBody(after: position) }
    end += 1
    while end < bytes.count {
      while end < bytes.count, Self.isBlank(bytes[end]) { end += 1 }
      while end < bytes.count, Self.isInName(bytes[end]) { end += 1 }
      // Generic arguments.
      if end < bytes.count, bytes[end] == UInt8(ascii: "<"), let close = bytes[end...].firstIndex(of: UInt8(ascii: ">"))
      {
        end = close + 1
      }
      end = endOfArguments(after: end)
      var next = end
      while next < bytes.count, Self.isBlank(bytes[next]) { next += 1 }
      guard next < bytes.count, bytes[next] == UInt8(ascii: ".") else { return end }
      end = next + 1
    }
    return nil
  }

  /// Returns the line of the loop over an asynchronous sequence that follows another one, which begins on a line, in the same block.
  func nextLoop(after line: Int) -> Int? {
    guard line >= 1, line < starts.count,
      let loop = Self.loops.lazy.compactMap({ [bytes, starts] in
        bytes[starts[line - 1]..<starts[line]].firstRange(of: $0)
      }).first,
      var position = bytes[loop.upperBound...].firstIndex(of: UInt8(ascii: "{")).flatMap({ closing(of: $0) })
    else { return nil }
    position += 1
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "}"): return nil
      case UInt8(ascii: "{"), UInt8(ascii: "("):
        guard let end = closing(of: position) else { return nil }
        position = end + 1
      case _ where Self.loops.contains { bytes[position...].starts(with: $0) }: return self.line(at: position)
      default: position += 1
      }
    }
    return nil
  }

  /// The lines with code that blocks a thread, or suspends a queue.
  var blockingLines: [Int] {
    let calls = [
      ".wait(", "sleep(", ".sync {", ".sync(", ".suspend()", "readLine(", ".lock()", "isSuspended = true",
      ".initiallyInactive",
    ]
    return (1...starts.count).filter { line in
      guard let text = text(ofLine: line), !text.contains("await "), !text.contains("func ") else { return false }
      return calls.contains { text.contains($0) }
    }
  }

  private static let loops = ["for await ", "for try await "].map { Array($0.utf8) }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func text(ofLine line: Int) -> String? {
    guard line >= 1, line <= starts.count else { return nil }
    return text(starts[line - 1]..<(line < starts.count ? starts[line] : bytes.count))
  }

  /// Reads a call backward, and returns its name. Leaves the position at the first letter of the name.
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

  func skipSubscript(_ position: inout Int) {
    guard position > 0, bytes[position - 1] == UInt8(ascii: "]") else { return }
    var (start, depth) = (position, 0)
    repeat {
      start -= 1
      if bytes[start] == UInt8(ascii: "]") { depth += 1 } else if bytes[start] == UInt8(ascii: "[") { depth -= 1 }
    } while depth > 0 && start > 0
    if depth == 0 { position = start }
  }

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

  func skipBlanks(_ position: inout Int) {
    while position > 0, Self.isBlank(bytes[position - 1]) { position -= 1 }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
  }

  /// Skips a period before a name. Returns false if there isn't one.
  func skipPeriod(_ position: inout Int) -> Bool {
    var start = position
    if start > 0, bytes[start - 1] == UInt8(ascii: ".") { start -= 1 } else { return false }
    if start > 0, bytes[start - 1] == UInt8(ascii: "?") || bytes[start - 1] == UInt8(ascii: "!") { start -= 1 }
    skipBlanks(&start)
    position = start
    return true
  }
}
