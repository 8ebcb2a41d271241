internal import Streams

// How the closures of a chain use the objects around them, as far as the source text shows it.

extension SourceChain {
  /// An object that a closure of the chain captures, and that holds the chain's cancellable.
  struct CapturedOwner {
    /// The name of the object: `self`.
    let name: String
    /// The name of the property that holds the cancellable.
    let property: String
    /// The line of the call that the closure is passed to.
    let line: Int
  }

  private static let knownOwners = PlaceCache<CapturedOwner?>()

  /// Returns the object that the closures of the chain retain and that retains the chain, if any. The result for each place is
  /// cached.
  func capturedOwner(at place: CodeLine) -> CapturedOwner? {
    Self.knownOwners.value(at: place) { capturedOwner }
  }

  /// The object that the chain's closures retain and that retains the chain, if any.
  var capturedOwner: CapturedOwner? {
    guard let (owner, property) = storage else { return nil }
    let call = calls.first { Self.retains(owner, in: $0.text) || owner == "self" && passesMethod($0.text) }
    guard let call else { return nil }
    return CapturedOwner(name: owner, property: property, line: call.line)
  }

  /// Returns the line of the call whose closure sends to a variable, or calls a function in the same file that does.
  func lineOfCall(sendingTo variable: String) -> Int? {
    if let call = calls.first(where: { Self.sends(to: variable, $0.text) }) { return call.line }
    let senders = source.functions.filter { Self.sends(to: variable, $0.body) }
    return calls.first { call in senders.contains { Self.calls($0.name, call.text) } }?.line
  }

  private static func sends(to variable: String, _ text: String) -> Bool {
    [".send(", ".value =", ".value +=", ".accept(", ".offer("].contains { method in
      text.ranges(of: variable + method).contains { !(text[..<$0.lowerBound].last.map(isInName) ?? false) }
    }
  }

  /// Returns whether a text calls a function, as in `append(…)`, `self?.append(…)` or `sink(with: self) { me, _ in me.append(…) }`,
  /// but not a method of another object.
  private static func calls(_ name: String, _ text: String) -> Bool {
    let owner =
      text.contains("(with: self")
      ? text.firstRange(of: "{ ").map { text[$0.upperBound...].prefix(while: isInName) } : nil
    let owners = ["self.", "self?.", "self!."] + (owner.map { ["\($0)."] } ?? [])
    return text.ranges(of: "\(name)(").contains { range in
      let before = text[..<range.lowerBound]
      return owners.contains(where: before.hasSuffix) || !(before.last.map(isInPath) ?? false)
    }
  }

  private static func isInName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  private static let knownStorages = PlaceCache<(owner: String, property: String)?>()

  /// Returns the object that stores the cancellable of the chain at a place, and the name of its property. The result for each
  /// place is cached.
  static func storage(at place: CodeLine) -> (owner: String, property: String)? {
    knownStorages.value(at: place) { SourceChain(endingAt: place)?.storage }
  }

  /// The object that stores the cancellable, and the name of its property.
  private var storage: (owner: String, property: String)? {
    guard let path = storedPath, !path.isEmpty else { return nil }
    guard let dot = path.lastIndex(of: ".") else { return isLocal(path) ? nil : ("self", path) }
    let owner = String(path[..<dot].prefix { $0 != "." && $0 != "?" && $0 != "!" })
    return (owner, String(path[path.index(after: dot)...]))
  }

  /// The property that stores the cancellable, as the program writes it: `self.cancellables`.
  private var storedPath: String? {
    let rest = source.text(end..<min(end + 600, source.bytes.count))
    let next = rest.drop { $0.isWhitespace }
    if next.hasPrefix(".store(in:") { return Self.storingPath(next) }
    var position = start
    source.skipBlanks(&position)
    guard position > 1 else { return nil }
    switch source.bytes[position - 1] {
    case UInt8(ascii: "("):
      // `cancellables.insert(…)`
      let path = path(endingAt: position - 1)
      return [".insert", ".append"].first { path.hasSuffix($0) }.map { String(path.dropLast($0.count)) }
    case UInt8(ascii: "="):
      position -= 1
      source.skipBlanks(&position)
      // `cancellables[key] = …`
      source.skipSubscript(&position)
      let path = path(endingAt: position)
      let before = source.text(max(0, position - 200)..<position)
      let line = before.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
      guard let keyword = line.firstRange(of: "let ") ?? line.firstRange(of: "var ") else { return path }
      // The cancellable is stored in a variable first.
      return Self.path(storing: String(line[keyword.upperBound...].prefix { Self.isInPath($0) }), in: rest)
    default: return nil
    }
  }

  private func path(endingAt position: Int) -> String {
    String(source.text(max(0, position - 200)..<position).reversed().prefix { Self.isInPath($0) }.reversed())
  }

  /// Returns the argument of `.store(in:)` at the beginning of a text or after a name.
  private static func storingPath(_ text: Substring) -> String? {
    guard let range = text.firstRange(of: "(in:") else { return nil }
    return String(text[range.upperBound...].drop { $0.isWhitespace || $0 == "&" }.prefix { isInPath($0) })
  }

  /// Returns the property in which the lines of a text store a variable.
  private static func path(storing variable: String, in text: String) -> String? {
    for line in text.split(separator: "\n") {
      let line = line.drop { $0.isWhitespace }
      if line.hasPrefix("\(variable).store(in:") { return storingPath(line) }
      for suffix in [".insert(\(variable))", ".append(\(variable))", " = \(variable)"] where line.hasSuffix(suffix) {
        return String(line.dropLast(suffix.count).reversed().prefix { isInPath($0) }.reversed())
      }
    }
    return nil
  }

  /// Returns whether a variable is declared in the same function as the chain.
  private func isLocal(_ name: String) -> Bool {
    let text = source.text(0..<start)
    for range in text.ranges(of: name).reversed() {
      let before = text[..<range.lowerBound]
      guard before.hasSuffix("let ") || before.hasSuffix("var ") else { continue }
      let between = text[range.upperBound...]
      if between.first.map({ Self.isInPath($0) }) == true { continue }
      var (depth, lowest) = (0, 0)
      for character in between {
        if character == "{" { depth += 1 } else if character == "}" { depth -= 1 }
        lowest = min(lowest, depth)
      }
      if lowest < 0 { continue }
      return !["func ", "init(", "init?(", "deinit "].contains { between.contains($0) }
    }
    return false
  }

  /// Returns whether an argument is a method of `self`, which retains `self`: `receiveValue: save`, `map(decorate)` or
  /// `map(self.decorate)`.
  private func passesMethod(_ call: String) -> Bool {
    (call.ranges(of: ": ") + call.ranges(of: "(")).contains { range in
      let argument = call[range.upperBound...]
      let name = (argument.hasPrefix("self.") ? argument.dropFirst(5) : argument).prefix {
        Self.isInPath($0) && $0 != "."
      }
      guard !name.isEmpty, [")", ","].contains(call[name.endIndex...].first) else { return false }
      return source.text(0..<source.bytes.count).split(separator: "\n").contains { line in
        line.contains("func \(name)(") && line.first == " " && !line.contains("static ")
      }
    }
  }

  /// Returns whether a call's closures retain an object.
  private static func retains(_ name: String, in text: String) -> Bool {
    // A parameter of the closure, or an object that is passed to it.
    let parameters = ["with: \(name)", "{ \(name),", "{ \(name) in", "{ (\(name)", ", \(name) in"]
    let others = ["weak \(name)", "unowned \(name)", "unowned(unsafe) \(name)", "unowned(safe) \(name)"]
    if (others + parameters).contains(where: { text.contains($0) }) { return false }
    return text.ranges(of: name).contains { range in
      let (before, after) = (text[..<range.lowerBound], text[range.upperBound...])
      // Outside of closures, an object is only used for as long as the chain is made.
      let isInClosure = before.count { $0 == "{" } > before.count { $0 == "}" }
      return isInClosure && before.last.map { isInPath($0) } != true
        && after.first.map { isInPath($0) && $0 != "." } != true
    }
  }

  private static func isInPath(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_.?!".contains(character)
  }
}

extension SourceText {
  /// Returns the variable that a line declares or sets: `names` for `let names = PassthroughSubject<String, Never>()`.
  func variable(onLine line: Int) -> String? {
    guard let words = text(ofLine: line)?.split(whereSeparator: { $0.isWhitespace || $0 == ":" }) else { return nil }
    if let keyword = words.firstIndex(where: { $0 == "let" || $0 == "var" }), keyword + 1 < words.count {
      return String(words[keyword + 1])
    }
    guard let equals = words.firstIndex(of: "="), equals > 0 else { return nil }
    return words[equals - 1].split(separator: ".").last.map(String.init)
  }
}

extension SourceChain.Call {
  /// The first object that a closure of the call captures weakly.
  var weakCapture: String? {
    text.firstRange(of: "[weak ").map { String(text[$0.upperBound...].prefix { $0.isLetter || $0.isNumber }) }
  }

  /// The publisher whose first value ends the stream, as the program writes it.
  var trigger: String? {
    for label in ["untilOutputFrom:", "when:"] {
      guard let range = text.ranges(of: label).first else { continue }
      var depth = 0
      let argument = text[range.upperBound...].prefix { character in
        if "({[".contains(character) { depth += 1 } else if ")}]".contains(character) { depth -= 1 }
        return depth >= 0 && !(depth == 0 && character == ",")
      }
      return argument.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    return nil
  }
}
