internal import StreamSchedulers
internal import Streams

/// Streams as text, one below the other, with the same time in the same column.
///
/// The text is a marble diagram: unless a value had to be replaced by a letter, parsing it yields the same events.
struct TimelineText {
  enum Symbol: Equatable {
    case value(String)
    case finish
    case failure
    case subscription
    case cancellation
  }

  struct Entry: Equatable {
    var nanoseconds: Int
    var symbol: Symbol

    /// The texts of the values from which this value was derived. They determine its colors in a picture.
    var origins: [String] = []
  }

  struct Row {
    var name: String
    var entries: [Entry]

    /// The time at which the row begins.
    var from = 0

    /// The time until which the row continues, unless it ends.
    var until = 0

    /// The verb that follows the name in the description of a picture.
    var verb = "has"
  }

  /// A moment, or the time without events between two moments.
  private enum Column {
    case moment(Int)
    case gap(String)
  }

  private let rows: [Row]
  private let columns: [Column]

  /// The letters that stand for values whose text is too long.
  let letters: Letters

  /// The maximum number of frames without an event that are drawn one by one. A longer gap is written as a time.
  private static let longestGap = 10
  private static let width = 96

  init(_ rows: [Row], frame: Int) {
    self.rows = rows
    letters = Letters(rows)
    let times = Set(rows.flatMap { row in row.entries.map(\.nanoseconds) + [row.from, row.until] } + [0]).sorted()
    var columns: [Column] = []
    var last: Int?
    for time in times {
      if let last {
        let gap = time.subtractingSaturating(last)
        if frame > 0, gap % frame == 0, gap / frame <= Self.longestGap {
          columns += stride(from: last + frame, to: time, by: frame).map { .moment($0) }
        } else {
          columns.append(.gap(" \(DurationText.marble(gap)) "))
        }
      }
      columns.append(.moment(time))
      last = time
    }
    self.columns = columns
  }

  /// Returns the lines, with marks below the given moments.
  func lines(marking marked: Set<Int> = []) -> [String] {
    let nameWidth = rows.map(\.name.count).max() ?? 0
    var lines: [String] = []
    for (index, part) in parts.enumerated() {
      // A row without an event in this part would only say that nothing happens. A row without any events is shown
      // once.
      for row in rows where hasEvent(row, in: part) || row.entries.isEmpty && index == 0 {
        let text = part.map { cell($0, of: row).padded(to: width(of: $0)) }.joined()
        lines.append("\(row.name.padded(to: nameWidth))  \(text)".trimmed)
      }
      let marks = part.map { column in
        guard case .moment(let time) = column, marked.contains(time) else {
          return String(repeating: " ", count: width(of: column))
        }
        return String(repeating: "^", count: width(of: column))
      }.joined()
      if marks.contains("^") { lines.append("\(String(repeating: " ", count: nameWidth))  \(marks)".trimmed) }
    }
    return lines
  }

  /// The symbols of the first row, and the times between them. Joined with or without blanks, they form the row's
  /// diagram.
  var symbols: [String] {
    guard let row = rows.first else { return [] }
    return columns.flatMap { column -> [String] in
      guard case .moment(let time) = column else { return [cell(column, of: row)] }
      let symbols = row.entries.filter { $0.nanoseconds == time }.map { letters.text(of: $0.symbol) }
      return symbols.count > 1 ? ["("] + symbols + [")"] : [cell(column, of: row)]
    }
  }

  /// The columns, split into parts that are narrow enough for a terminal.
  private var parts: [[Column]] {
    var parts: [[Column]] = [[]]
    var used = 0
    for column in columns {
      let width = width(of: column)
      if used > 0, used + width > Self.width {
        parts.append([])
        used = 0
      }
      parts[parts.count - 1].append(column)
      used += width
    }
    return parts
  }

  private func hasEvent(_ row: Row, in part: [Column]) -> Bool {
    part.contains { column in
      guard case .moment(let time) = column else { return false }
      return row.entries.contains { $0.nanoseconds == time }
    }
  }

  private func width(of column: Column) -> Int { rows.map { cell(column, of: $0).count }.max() ?? 0 }

  private func cell(_ column: Column, of row: Row) -> String {
    let end = row.entries.first { $0.symbol == .finish || $0.symbol == .failure || $0.symbol == .cancellation }
    switch column {
    case .gap(let text): return text
    case .moment(let time):
      if time < row.from { return " " }
      let symbols = row.entries.filter { $0.nanoseconds == time }.map { letters.text(of: $0.symbol) }
      if symbols.isEmpty { return end.map { $0.nanoseconds < time } ?? false ? " " : "-" }
      return symbols.count == 1 ? symbols[0] : "(\(symbols.joined()))"
    }
  }
}

extension TimelineText.Row {
  /// Creates a row of recorded events.
  init<Output, Failure, Time>(
    _ name: String, _ verb: String, _ recorded: [Recorded<Output, Failure, Time>], from start: Int = 0,
    shiftedBy shift: Int = 0, _ origins: (Output) -> [String] = { ["\($0)"] }
  ) where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
    let entries = recorded.inOrder().compactMap { recorded -> TimelineText.Entry? in
      var entry = TimelineText.Entry(nanoseconds: recorded.time.nanoseconds.addingSaturating(shift), symbol: .finish)
      switch recorded.event {
      case .next(let value):
        entry.symbol = .value("\(value)")
        entry.origins = origins(value)
      case .completion(.finished): entry.symbol = .finish
      case .completion(.failure): entry.symbol = .failure
      case .cancellation: entry.symbol = .cancellation
      case .subscription: return nil
      }
      return entry
    }
    self.init(name: name, entries: entries, from: start, until: entries.last?.nanoseconds ?? start, verb: verb)
  }
}

extension TimelineText {
  /// The spelling of values in a diagram: their text, or a letter for a text that's too long.
  struct Letters {
    private static let longestName = 12
    private(set) var legend: [(letter: String, text: String)] = []
    private var letters: [String: String] = [:]

    /// Indicates whether a digit followed by a letter could be read as a time.
    private let quotesDigits: Bool

    init(_ rows: [Row]) {
      let names = rows.flatMap(\.entries).compactMap { if case .value(let name) = $0.symbol { name } else { nil } }
      quotesDigits = names.contains { ["n", "u", "µ", "m", "s"].contains($0) }
      let taken = Set(names)
      var free = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".map(String.init).filter { !taken.contains($0) }[...]
      for name in names where letters[name] == nil && Self.isTooLong(name) {
        let letter = free.popFirst() ?? "'value \(letters.count + 1)'"
        letters[name] = letter
        legend.append((letter, name))
      }
    }

    func text(of symbol: Symbol) -> String {
      switch symbol {
      case .value(let name): text(of: name)
      case .finish: "|"
      case .failure: "#"
      case .subscription: "^"
      case .cancellation: "!"
      }
    }

    private func text(of name: String) -> String {
      if let letter = letters[name] { return letter }
      // Long dashes count as mistakes in a diagram.
      let isPlain =
        name.count == 1 && !"-|#()'^!—–−".contains(name) && !name.first!.isWhitespace
        && !(quotesDigits && name.first!.isNumber)
      return isPlain ? name : "'\(name)'"
    }

    private static func isTooLong(_ name: String) -> Bool {
      name.isEmpty || name.count > longestName || name.contains { $0 == "'" || $0.isNewline }
    }
  }
}

extension String {
  func padded(to width: Int) -> String {
    count < width ? self + String(repeating: " ", count: width - count) : self
  }

  fileprivate var trimmed: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
