/// The changes to a source file that add a recorded diagram to an `expect` call.
struct DiagramInsertion {
  /// A replacement of a range of bytes. The range is empty if text is only added.
  struct Edit: Equatable {
    var range: Range<Int>
    var text: String
  }

  private(set) var edits: [Edit] = []

  private static let lineWidth = 120

  /// The mark of a diagram that nobody has confirmed yet.
  private static let mark = "recorded"

  /// Plans the changes. `takesPublisher` distinguishes `expect(stream)` from `recorder.expect()`.
  init(_ diagram: RecordedDiagram, into call: CallSite, takesPublisher: Bool) throws(CallSite.Missing) {
    guard let list = call.argumentList else { throw CallSite.Missing(reason: "the call has no parentheses") }
    let unlabeled = call.arguments.prefix { $0.label == nil }.count
    let expected = takesPublisher ? 1 : 0
    if unlabeled > expected { throw CallSite.Missing(reason: "the call already has a diagram") }
    let known = ["error", "subscription", "demand"]
    guard unlabeled == expected, call.arguments.dropFirst(unlabeled).allSatisfy({ known.contains($0.label ?? "") })
    else {
      throw CallSite.Missing(reason: "the call's arguments don't match an expectation without a diagram")
    }

    let layout = Layout(call, list)
    let last = layout.lastLineEnd
    if diagram.values.isEmpty, let edit = Self.inline(diagram, call, layout) {
      edits = [edit]
    } else {
      edits = Self.onLinesOfItsOwn(diagram, call, layout)
    }
    let isAtEnd = call.source.bytes[list.upperBound + 1..<last].allSatisfy { $0 == UInt8(ascii: " ") }
    edits.append(
      isAtEnd
        ? Edit(range: list.upperBound + 1..<last, text: "  // \(Self.mark)")
        : Edit(range: list.upperBound + 1..<list.upperBound + 1, text: " /* \(Self.mark) */"))
  }

  /// Returns whether a comment after a call says that the call's diagram was recorded.
  static func isMarked(_ call: CallSite) -> Bool {
    guard let list = call.argumentList else { return false }
    let bytes = call.source.bytes[(list.upperBound + 1)...].drop { $0 == UInt8(ascii: " ") }
    return bytes.starts(with: "// \(mark)".utf8) || bytes.starts(with: "/* \(mark) */".utf8)
  }

  /// Applies the edits from several insertions, which must not overlap, to bytes.
  static func applying(_ edits: [Edit], to bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var position = 0
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      result += bytes[position..<edit.range.lowerBound]
      result += edit.text.utf8
      position = edit.range.upperBound
    }
    return result + bytes[position...]
  }
}

extension DiagramInsertion {
  /// The positions of a call's arguments.
  private struct Layout {
    let list: Range<Int>
    let first: CallSite.Argument?

    /// The range to replace when you insert the first argument into a call that has none. A comment in the list stays.
    let blankList: Range<Int>

    /// Indicates whether the first argument begins on a line below the parenthesis.
    let isExpanded: Bool

    /// Indicates whether the first argument is on one line.
    let isFlat: Bool

    /// The end of the line with the closing parenthesis.
    let lastLineEnd: Int

    /// The indentation of arguments on lines of their own, and one more level.
    let indentation: String
    let inner: String
    let newline: String

    init(_ call: CallSite, _ list: Range<Int>) {
      let source = call.source
      self.list = list
      first = call.arguments.first
      let isBlank = source.text(list).allSatisfy(\.isWhitespace)
      blankList = isBlank ? list : list.upperBound..<list.upperBound
      let start = first?.range.lowerBound ?? list.upperBound
      let line = source.line(of: start)
      isExpanded = line != source.line(of: list.lowerBound - 1)
      isFlat = line == source.line(of: first?.range.upperBound ?? start)
      lastLineEnd = source.range(ofLine: source.line(of: list.upperBound)).upperBound
      let unit = Self.indentationUnit(of: source)
      indentation = isExpanded && first != nil ? source.indentation(ofLine: line) : call.indentation + unit
      inner = indentation + unit
      let firstLine = source.range(ofLine: 0)
      newline =
        firstLine.upperBound < source.bytes.count && source.bytes[firstLine.upperBound] == UInt8(ascii: "\r")
        ? "\r\n" : "\n"
    }

    /// Returns the first indentation in the file.
    private static func indentationUnit(of source: SourceTokens) -> String {
      for token in source.tokens {
        let line = source.line(of: token.range.lowerBound)
        let indentation = source.indentation(ofLine: line)
        let isFirst = token.range.lowerBound == source.lineStarts[line] + indentation.utf8.count
        guard isFirst, !indentation.isEmpty else { continue }
        return indentation.hasPrefix("\t") ? "\t" : String(indentation.prefix(8))
      }
      return "  "
    }
  }

  /// Returns the edit that adds the diagram to the line of the first argument, or `nil` if the line would be too long.
  private static func inline(_ diagram: RecordedDiagram, _ call: CallSite, _ layout: Layout) -> Edit? {
    let literal = LiteralText.string(diagram.text)
    guard let first = layout.first, first.label == nil else {
      // A call without a publisher: the diagram comes first.
      let start = layout.first?.range.lowerBound ?? layout.list.upperBound
      let text = literal + (layout.first == nil ? "" : ", ")
      let range = layout.first == nil ? layout.blankList : start..<start
      return fits(text, at: start, call, layout) ? Edit(range: range, text: text) : nil
    }
    // If each argument is on its own line, so is the diagram.
    let next = call.arguments.dropFirst().first?.range.lowerBound ?? layout.list.upperBound
    let source = call.source
    let end = first.range.upperBound
    if layout.isExpanded, source.line(of: next) != source.line(of: end) { return nil }
    let text = ", \(literal)"
    return fits(text, at: end, call, layout) ? Edit(range: end..<end, text: text) : nil
  }

  private static func fits(_ text: String, at offset: Int, _ call: CallSite, _ layout: Layout) -> Bool {
    let line = call.source.range(ofLine: call.source.line(of: offset))
    // Leaves room for the longer form of the mark, so few lines become too long with it.
    let marked = layout.list.upperBound < line.upperBound ? " /* \(mark) */".count : 0
    return call.source.text(line).count + text.count + marked <= lineWidth
  }

  private static func onLinesOfItsOwn(_ diagram: RecordedDiagram, _ call: CallSite, _ layout: Layout) -> [Edit] {
    let separator = layout.newline + layout.indentation
    let added = ([literal(of: diagram, layout)] + valueList(of: diagram, layout)).joined(separator: ",\(separator)")
    var edits: [Edit] = []
    let hasPublisher = layout.first.map { $0.label == nil } ?? false
    guard let first = layout.first else { return [Edit(range: layout.blankList, text: separator + added)] }
    let isBlank = call.source.bytes[layout.list.lowerBound..<first.range.lowerBound].allSatisfy {
      $0 == UInt8(ascii: " ")
    }
    if !layout.isExpanded, layout.isFlat, isBlank {
      edits.append(Edit(range: layout.list.lowerBound..<first.range.lowerBound, text: separator))
    }
    guard hasPublisher else {
      let start = first.range.lowerBound
      let isMoved = !edits.isEmpty
      if isMoved { edits[0].text = separator + added + ",\(separator)" }
      return isMoved ? edits : [Edit(range: start..<start, text: added + ",\(separator)")]
    }
    let end = first.range.upperBound
    edits.append(Edit(range: end..<end, text: ",\(separator)\(added)"))
    guard let next = call.arguments.dropFirst().first else { return edits }
    // Arguments that follow on the same line move below the diagram.
    let source = call.source
    let between = end..<next.range.lowerBound
    if source.line(of: next.range.lowerBound) == source.line(of: end),
      source.bytes[between].allSatisfy({ $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") })
    {
      edits.append(Edit(range: between, text: ",\(separator)"))
    }
    return edits
  }

  /// Returns the diagram as a string literal, which has several lines if the diagram is too long for one.
  private static func literal(of diagram: RecordedDiagram, _ layout: Layout) -> String {
    let literal = LiteralText.string(diagram.text)
    let width = lineWidth - layout.indentation.count
    if literal.count + 1 <= width { return literal }
    var literalLines: [String] = []
    var line = ""
    for symbol in diagram.symbols {
      let text = LiteralText.escaped(symbol)
      if !line.isEmpty, line.count + text.count > width {
        literalLines.append(line)
        line = ""
      }
      line += text
    }
    literalLines.append(line)
    // A line break separates symbols as a space does.
    let content = literalLines.map { layout.indentation + $0.trimmingBlanks }.joined(separator: layout.newline)
    return "\"\"\"\(layout.newline)\(content)\(layout.newline)\(layout.indentation)\"\"\""
  }

  private static func valueList(of diagram: RecordedDiagram, _ layout: Layout) -> [String] {
    if diagram.values.isEmpty { return [] }
    let entries = diagram.values.map { "\(LiteralText.string($0.name)): \($0.literal)" }
    let line = "values: [\(entries.joined(separator: ", "))]"
    if layout.indentation.count + line.count + 1 + "  // \(mark)".count <= lineWidth { return [line] }
    let lines = entries.map { "\(layout.inner)\($0),\(layout.newline)" }.joined()
    return ["values: [\(layout.newline)\(lines)\(layout.indentation)]"]
  }
}

extension String {
  fileprivate var trimmingBlanks: String {
    var text = drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
