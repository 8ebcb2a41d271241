internal import Foundation
internal import StreamSchedulers

/// A call in a source file, found by the location that `#filePath`, `#line` and `#column` give as default arguments.
///
/// The compiler gives the column of the opening parenthesis, or of the brace if the call has only a trailing closure. For all
/// calls in a closure of a macro, such as `#expect(throws:) { … }`, it gives the location of the macro's `#`. Then the call is
/// found by its name, if it's the only one.
struct CallSite {
  struct Argument {
    var label: String?

    /// The range of the argument, including its label.
    var range: Range<Int>

    /// The text of the argument without its label.
    var text: String
  }

  struct Closure {
    /// The names of the parameters, or an empty array if they aren't named.
    var parameters: [String]

    /// The lines of the body, without the indentation that they share.
    var body: [String]
  }

  /// The reason why a call wasn't found, as a sentence without the period.
  struct Missing: Error, Equatable {
    var reason: String
  }

  let source: SourceTokens

  let name: String

  /// The range between the parentheses, if there are any.
  let argumentList: Range<Int>?

  /// The arguments in the parentheses, in order.
  let arguments: [Argument]

  /// The closure after the parentheses, or the last argument if it's a closure.
  let trailingClosure: Closure?

  /// The indentation of the first line of the expression that ends with the call.
  let indentation: String

  /// Finds the call at a location, or returns `nil` if the file can't be read or doesn't look as expected there.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the file.
  init?(_ location: CodeLocation, of function: String? = nil) {
    guard let data = FileManager.default.contents(atPath: "\(location.filePath)"),
      let source = SourceTokens([UInt8](data))
    else { return nil }
    do {
      try self.init(in: source, line: Int(location.line), column: Int(location.column), of: function)
    } catch {
      return nil
    }
  }

  /// Finds the call at a line and a column. If `function` isn't `nil`, the call must be to this function.
  init(in source: SourceTokens, line: Int, column: Int, of function: String?) throws(Missing) {
    let calls = function.map { "a call of \($0)" } ?? "a call"
    guard let offset = source.offset(line: line, column: column), let found = source.index(at: offset) else {
      throw Missing(reason: "there is no call in column \(column)")
    }
    let opening = try Self.isCall(found, in: source) ? found : Self.call(of: function, inMacroAt: found, source)
    let name = Self.name(before: opening, in: source)
    guard function == nil || name == function else { throw Missing(reason: "\(calls) is not in column \(column)") }

    self.source = source
    self.name = name
    indentation = source.indentation(
      ofLine: source.line(of: source.tokens[Self.start(ofCallAt: opening, in: source)].range.lowerBound))
    let tokens = source.tokens
    guard tokens[opening].isMark("("), let closing = tokens[opening].partner else {
      (argumentList, arguments) = (nil, [])
      trailingClosure = Self.closure(at: opening, in: source)
      return
    }
    argumentList = tokens[opening].range.upperBound..<tokens[closing].range.lowerBound
    let parts = Self.parts(in: opening + 1..<closing, of: source)
    arguments = parts.map { Self.argument($0, of: source) }
    if closing + 1 < tokens.count, tokens[closing + 1].isMark("{") {
      trailingClosure = Self.closure(at: closing + 1, in: source)
    } else {
      trailingClosure = parts.last.flatMap { part in
        let first = Self.isLabeled(part, in: source) ? part.lowerBound + 2 : part.lowerBound
        return tokens[first].isMark("{") && tokens[first].partner == part.upperBound - 1
          ? Self.closure(at: first, in: source) : nil
      }
    }
  }
}

// MARK: - Finding

extension CallSite {
  /// Returns whether a token opens the arguments of a call, or the trailing closure of a call without parentheses.
  private static func isCall(_ index: Int, in source: SourceTokens) -> Bool {
    let token = source.tokens[index]
    return (token.isMark("(") || token.isMark("{")) && index > 0 && source.tokens[index - 1].kind == .word
  }

  private static func name(before opening: Int, in source: SourceTokens) -> String {
    source.text(of: source.tokens[opening - 1]).filter { $0 != "`" }
  }

  /// Returns the only call to a function in the arguments and closures of the macro that begins at a token.
  private static func call(of function: String?, inMacroAt index: Int, _ source: SourceTokens) throws(Missing) -> Int {
    let tokens = source.tokens
    guard tokens[index].isMark("#"), let function else { throw Missing(reason: "there is no call at this line") }
    var end = index + 2
    // The arguments, the trailing closure, and labeled closures.
    while end < tokens.count {
      if (tokens[end].isMark("(") || tokens[end].isMark("{")), let closing = tokens[end].partner {
        end = closing + 1
      } else if end + 2 < tokens.count, tokens[end].kind == .word, tokens[end + 1].isMark(":"),
        tokens[end + 2].isMark("{")
      {
        end += 2
      } else {
        break
      }
    }
    let found = (index + 2..<max(index + 2, end)).filter { candidate in
      isCall(candidate, in: source) && name(before: candidate, in: source) == function
        && !tokens[candidate - 2].isMark("#")
    }
    guard let first = found.first else { throw Missing(reason: "the macro contains no call of \(function)") }
    if found.count > 1 {
      throw Missing(
        reason: "the macro contains several calls of \(function), which the compiler can't tell apart; "
          + "write only one call in each macro")
    }
    return first
  }

  /// Returns the index of the first token of the expression that ends with a call: `a` in `a.b { }.c()`.
  private static func start(ofCallAt opening: Int, in source: SourceTokens) -> Int {
    let tokens = source.tokens
    var start = opening - 1
    while start >= 2, tokens[start - 1].isMark(".") {
      start -= 2
      while true {
        if start > 0, tokens[start].isMark("?") || tokens[start].isMark("!") {
          start -= 1
        } else if let partner = tokens[start].partner, partner < start {
          start = partner
          // An expression directly before a bracket is called or subscripted. Before a closure, a space is allowed.
          guard start > 0 else { break }
          let isAdjacent = tokens[start - 1].range.upperBound == tokens[start].range.lowerBound
          let isOperand = tokens[start - 1].kind == .word || tokens[start - 1].partner.map { $0 < start - 1 } ?? false
          guard isOperand, isAdjacent || tokens[start].isMark("{") else { break }
          start -= 1
        } else {
          break
        }
      }
    }
    return start
  }
}

// MARK: - Arguments and closures

extension CallSite {
  /// Returns the ranges of tokens between commas. A comma at the end is allowed.
  private static func parts(in range: Range<Int>, of source: SourceTokens) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var (start, index) = (range.lowerBound, range.lowerBound)
    while index < range.upperBound {
      if source.tokens[index].isMark(",") {
        parts.append(start..<index)
        start = index + 1
      } else if let partner = source.tokens[index].partner {
        index = max(index, partner)
      }
      index += 1
    }
    parts.append(start..<range.upperBound)
    return parts.filter { !$0.isEmpty }
  }

  private static func isLabeled(_ part: Range<Int>, in source: SourceTokens) -> Bool {
    part.count > 2 && source.tokens[part.lowerBound].kind == .word && source.tokens[part.lowerBound + 1].isMark(":")
  }

  private static func argument(_ part: Range<Int>, of source: SourceTokens) -> Argument {
    let (first, last) = (source.tokens[part.lowerBound], source.tokens[part.upperBound - 1])
    let range = first.range.lowerBound..<last.range.upperBound
    guard isLabeled(part, in: source) else { return Argument(label: nil, range: range, text: source.text(range)) }
    let value = source.tokens[part.lowerBound + 2].range.lowerBound..<range.upperBound
    return Argument(label: source.text(of: first), range: range, text: source.text(value))
  }

  private static func closure(at opening: Int, in source: SourceTokens) -> Closure? {
    guard let closing = source.tokens[opening].partner else { return nil }
    let signature = signature(in: opening + 1..<closing, of: source)
    let start = source.tokens[signature.map { $0.end } ?? opening].range.upperBound
    let body = source.text(start..<source.tokens[closing].range.lowerBound)
    return Closure(parameters: signature?.parameters ?? [], body: lines(of: body))
  }

  /// Reads `@MainActor [weak self] (a: Int, b) async throws -> Int in`, and returns the parameters and the index of
  /// `in`.
  private static func signature(
    in range: Range<Int>, of source: SourceTokens
  ) -> (parameters: [String], end: Int)? {
    let tokens = source.tokens
    var index = range.lowerBound
    func text() -> String { index < range.upperBound ? source.text(of: tokens[index]) : "" }
    func skipBrackets(_ character: Unicode.Scalar) {
      if index < range.upperBound, tokens[index].isMark(character), let partner = tokens[index].partner {
        index = partner + 1
      }
    }
    while text() == "@" {
      index += 2
      if index < range.upperBound, tokens[index].range.lowerBound == tokens[index - 1].range.upperBound {
        skipBrackets("(")
      }
    }
    skipBrackets("[")
    var parameters: [String] = []
    if text() == "(", let end = tokens[index].partner {
      for part in parts(in: index + 1..<end, of: source) {
        // `a`, `a: Int`, and with two names `_ a: Int`.
        let names = tokens[part].prefix { $0.kind == .word }
        if let name = names.last { parameters.append(source.text(of: name)) }
      }
      index = end + 1
    } else if text() != "in" {
      while index < range.upperBound, tokens[index].kind == .word {
        parameters.append(text())
        index += 1
        guard text() == "," else { break }
        index += 1
      }
    }
    if text() == "async" { index += 1 }
    if text() == "throws" || text() == "rethrows" {
      index += 1
      skipBrackets("(")
    }
    if text() == "-", index + 1 < range.upperBound, tokens[index + 1].isMark(">") {
      while index < range.upperBound, text() != "in" { index += 1 }
    }
    return text() == "in" ? (parameters, index) : nil
  }

  /// Returns the lines of a text between braces, without blank lines at its ends and without shared indentation.
  private static func lines(of text: String) -> [String] {
    func isBlank(_ line: Substring) -> Bool { line.allSatisfy(\.isWhitespace) }
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)[...]
    // Text after the brace on the same line doesn't have its own indentation.
    let first = lines.popFirst().map { String($0.drop(while: \.isWhitespace)) } ?? ""
    while let line = lines.last, isBlank(line) { lines.removeLast() }
    if first.isEmpty { lines = lines.drop(while: isBlank) }
    var shared = lines.first { !isBlank($0) }.map { $0.prefix(while: \.isWhitespace) } ?? ""
    for line in lines where !isBlank(line) {
      while !line.hasPrefix(shared) { shared.removeLast() }
    }
    let rest = lines.map { isBlank($0) ? "" : String($0.dropFirst(shared.count)) }
    let all = first.isEmpty ? rest : [first] + rest
    return all.count == 1 ? [all[0].trimmingCharacters(in: .whitespaces)] : all
  }
}
