internal import Streams

/// The difference between expected and recorded events, as text in two lengths and as a picture.
struct Mismatch {
  /// A row of the event table, which may have several lines.
  struct TableRow {
    var lines: [String]
    var isEqual: Bool
    var isHeader: Bool

    init(_ texts: [String], isEqual: Bool, isHeader: Bool = false) {
      lines = texts.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
      self.isEqual = isEqual
      self.isHeader = isHeader
    }
  }

  /// Both timelines, one below the other, with the differences marked.
  var timelines: [String]

  /// All events, side by side.
  var table: [TableRow]

  /// The values that names stand for, and the parts in which values differ, each after an empty line.
  var legend: [String]
  var fields: [String]
  var notes: [String]

  var rows: [TimelineText.Row]
  /// The duration of a frame in nanoseconds.
  var frame: Int

  /// The maximum number of lines in a message. With the test library's own lines, a failure has fewer than 40.
  static let screen = 28
  private static let title = "The stream's events differ from the expected events."

  var fullText: String {
    ([Self.title, ""] + timelines + [""] + table.flatMap(\.lines) + legend + fields + notes).joined(separator: "\n")
  }

  /// Returns the full text if it fits on a screen, and otherwise the part of the text around the first difference.
  ///
  /// - Parameter lineCount: The number of lines that follow in the same message.
  func text(besides lineCount: Int = 0) -> String {
    let room = Self.screen - lineCount
    let full = fullText
    if full.count(where: \.isNewline) < room { return full }
    var lines = shortened(10)
    for limit in [7, 5, 3] where lines.count > room { lines = shortened(limit) }
    return lines.joined(separator: "\n")
  }

  /// Returns the part of the text around the first difference, with at most `limit` lines each of events, legend, and
  /// fields.
  private func shortened(_ limit: Int) -> [String] {
    let firstDifference = timelines.firstIndex { $0.contains("^") } ?? 0
    let nearby = timelines[max(0, firstDifference - 2)...]
    let lines =
      [Self.title, ""] + nearby.limited(to: 6) + [""] + shortTable(limit) + legend.limited(to: min(limit, 4))
      + fields.limited(to: min(limit, 5)) + notes
    return lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
  }

  /// Returns the header, and the rows from just before the first difference to the limit.
  private func shortTable(_ limit: Int) -> [String] {
    let header = table.prefix { $0.isHeader }
    let rows = table.dropFirst(header.count)
    let first = rows.firstIndex { !$0.isEqual } ?? rows.startIndex
    let start = max(rows.startIndex, first - 2)
    let before = start - rows.startIndex
    let skipped = before == 0 ? [] : ["     … \(before) equal events before"]
    return header.flatMap(\.lines) + skipped + rows[start...].flatMap(\.lines).limited(to: limit)
  }

  /// Both timelines, for a picture in which equal values have the same color.
  var picturedTimelines: FailureTimelines {
    var rows = rows
    for row in rows.indices {
      for index in rows[row].entries.indices {
        if case .value(let text) = rows[row].entries[index].symbol { rows[row].entries[index].origins = [text] }
      }
    }
    return FailureTimelines(rows: rows, title: "Expected and actual events", frame: frame)
  }
}

extension Collection<String> {
  /// Returns the first lines. If there are more than `limit`, the last of the returned lines counts the rest.
  func limited(to limit: Int) -> [String] {
    count <= limit ? Array(self) : prefix(limit - 1) + ["  … \(count - limit + 1) more lines"]
  }
}
