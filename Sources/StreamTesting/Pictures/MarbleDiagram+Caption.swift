internal import StreamSchedulers

extension MarbleDiagram {
  /// A sentence that describes the events, as a textual alternative to the picture.
  ///
  /// ```text
  /// numbers publishes 1 and 2 and finishes; letters publishes a and is cancelled; the result publishes 1a and finishes.
  /// ```
  ///
  /// Unnamed streams are called the source (or the first source, the second source and so on) and the result. The
  /// caption contains times if the result has an event at a time at which no source has one. It has at most 200
  /// characters. To stay within that limit, it omits times, then values and streams in the middle, and finally the end.
  public var caption: String {
    let levels = Caption.Detail.allCases.lazy.map { Caption(self, $0).text }
    return levels.first { $0.count <= Caption.longest } ?? Caption(self, .ends).shortened
  }
}

private struct Caption {
  static let longest = 200

  /// The amount of detail, from the most to the least.
  enum Detail: Int, CaseIterable, Comparable {
    case everything
    case timesOfResults
    case noTimes
    case someValues
    case ends

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  private let detail: Detail
  private let sources: [MarbleDiagram.Line]
  private let results: [MarbleDiagram.Line]
  private let isTimed: Bool

  init(_ diagram: MarbleDiagram, _ detail: Detail) {
    self.detail = detail
    let end = diagram.rows.firstIndex { if case .operator = $0 { true } else { false } } ?? 0
    sources = diagram.rows[..<end].compactMap { if case .line(let line) = $0 { line } else { nil } }
    results = diagram.rows[end...].compactMap { if case .line(let line) = $0 { line } else { nil } }
    var moments: Set<Int> = []
    for line in sources {
      moments.insert(line.from)
      moments.formUnion(line.listeners.map(\.from))
      moments.formUnion(line.heard.filter { $0.symbol != .cancellation }.map(\.nanoseconds))
    }
    for line in results {
      moments.insert(line.from)
      moments.formUnion(line.cancellations)
    }
    isTimed = results.contains { $0.entries.contains { !moments.contains($0.nanoseconds) } }
  }

  var text: String {
    var clauses: [String] = []
    let unnamed = sources.count { $0.name.isEmpty && $0.repetition == 0 }
    var seen = 0
    for line in sources {
      if line.name.isEmpty, line.repetition == 0 { seen += 1 }
      clauses.append(clause(of: line, unnamed == 1 ? "the source" : "the \(Self.ordinal(seen)) source", isSource: true))
    }
    let unnamedResults = results.count { $0.name.isEmpty }
    seen = 0
    for line in results {
      if line.name.isEmpty { seen += 1 }
      let noun = unnamedResults == 1 ? "the result" : "the \(Self.ordinal(seen)) result"
      clauses.append(clause(of: line, noun, isSource: false))
    }
    if detail == .ends, clauses.count > 4 { clauses.replaceSubrange(2..<clauses.count - 1, with: ["…"]) }
    guard let first = clauses.first?.first else { return "" }
    let text = clauses.joined(separator: "; ") + "."
    let isName = (sources + results).first?.name.isEmpty == false
    return isName ? text : first.uppercased() + text.dropFirst()
  }

  /// The text, truncated at the end.
  var shortened: String { text.prefix(Self.longest - 1) + "…" }

  private static func ordinal(_ number: Int) -> String {
    ["first", "second", "third", "fourth", "fifth"][safe: number - 1] ?? "\(number)th"
  }

  private func clause(of line: MarbleDiagram.Line, _ noun: String, isSource: Bool) -> String {
    let noun = line.name.isEmpty ? noun : line.name
    let start = line.listeners.first.map(\.from) ?? line.from
    let verb = isSource || !line.name.isEmpty ? line.verb : "publishes"
    let beginning =
      if line.repetition > 0 {
        "subscribed to again\(detail < .noTimes ? at(start) : ""), it"
      } else if start > 0, detail < .noTimes {
        "\(noun), \(isSource ? "subscribed to" : "subscribed")\(at(start)),"
      } else {
        noun
      }
    return
      "\(beginning) \(actions(of: line, verb, isTimed && (detail == .everything || !isSource && detail < .noTimes)))"
  }

  private func actions(of line: MarbleDiagram.Line, _ verb: String, _ isTimed: Bool) -> String {
    var values: [(text: String, time: Int)] = []
    var end: (text: String, time: Int)?
    for entry in line.heard where end == nil {
      switch entry.symbol {
      case .value(let text): values.append((text.replacing("\n", with: " "), entry.nanoseconds))
      case .finish: end = ("finishes", entry.nanoseconds)
      case .failure: end = ("fails", entry.nanoseconds)
      case .cancellation: end = (verb == "receives" ? "cancels" : "is cancelled", entry.nanoseconds)
      case .subscription: break
      }
    }
    if end == nil, line.isHot, let last = line.cancellations.last, line.listeners.allSatisfy({ $0.until != nil }) {
      end = ("is cancelled", last)
    }
    let last = values.last?.time
    let ending = end.map { $0.text + (isTimed && $0.time != last ? at($0.time) : "") }
    if values.isEmpty { return ending ?? "\(verb) nothing" }
    if detail >= .someValues, values.count > 3 {
      values.replaceSubrange(1..<values.count - 1, with: [("…", 0)])
      return "\(verb) \(values[0].text), … and \(values[2].text)" + (ending.map { " and \($0)" } ?? "")
    }
    var text = "\(verb) \(Self.list(values.map(\.text)))"
    if isTimed { text += " at \(Self.list(Self.times(values.map(\.time))))" }
    return text + (ending.map { " and \($0)" } ?? "")
  }

  private func at(_ time: Int) -> String { " at \(DurationText.described(time))" }

  /// Returns texts for the given times. If all times have the same unit, only the last text shows it.
  private static func times(_ times: [Int]) -> [String] {
    let texts = times.map { DurationText.described($0) }
    let units = Set(texts.map { $0.drop { $0 != " " } })
    guard units.count == 1, let unit = units.first else { return texts }
    return texts.dropLast().map { String($0.dropLast(unit.count)) } + texts.suffix(1)
  }

  private static func list(_ texts: [String]) -> String {
    guard let last = texts.last, texts.count > 1 else { return texts.first ?? "" }
    return "\(texts.dropLast().joined(separator: ", ")) and \(last)"
  }
}

extension MarbleDiagram.Line {
  /// The events that reach a subscriber.
  fileprivate var heard: [TimelineText.Entry] { entries.filter { isHeard(at: $0.nanoseconds) } }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
