import Foundation
import Workloads

/// A table of text. The first column is aligned on the left, the others on the right.
struct Table {
  var header: [String]
  var rows: [[String]] = []

  /// The table with spaces, for a terminal.
  var plain: String {
    let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max()! }
    return ([header] + rows).map { row in
      row.indices.map { column in
        let padding = String(repeating: " ", count: widths[column] - row[column].count)
        return column == 0 ? row[column] + padding : padding + row[column]
      }
      .joined(separator: "  ")
    }
    .joined(separator: "\n")
  }

  var markdown: String {
    let rule = ["---"] + header.dropFirst().map { _ in "---:" }
    return ([header, rule] + rows).map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
  }
}

extension Results {
  /// Returns a table with a column for each implementation and ratios to Streams, and its footnotes.
  ///
  /// - Parameters:
  ///   - workloads: The workloads that have a row, if there are results for them.
  ///   - earlier: The footnotes of the tables before this one, which keep their numbers.
  func table(
    of workloads: [Workload] = Workload.allCases, after earlier: [String] = []
  ) -> (table: Table, notes: [String]) {
    let names = ImplementationName.allCases.filter { name in workloads.contains { figures[$0]?[name] != nil } }
    var (table, notes) = (Table(header: ["Workload"] + names.map(\.title)), earlier)
    for workload in workloads {
      guard let figures = figures[workload] else { continue }
      let row = names.map { name in
        var mark = ""
        if let note = Registry.cell(workload, name).note {
          // Equal notes share a number.
          if !notes.contains(note) { notes.append(note) }
          mark = " [\(notes.firstIndex(of: note)! + 1)]"
        }
        guard let figure = figures[name] else { return "–\(mark)" }
        guard name != .streams, let streams = figures[.streams] else { return figure.figure + mark }
        return "\(figure.figure) (\((figure / streams).times))\(mark)"
      }
      table.rows.append([workload.rawValue] + row)
    }
    return (table, notes)
  }
}

extension ImplementationName {
  /// The implementations that are compared when the work is not a workload.
  static let besideOneAnother: [ImplementationName] = [.streams, .openCombine]

  /// The name for readers.
  var title: String { self == .limit ? "by hand" : rawValue }
}

extension Double {
  /// The number as text, with one decimal digit if it is small.
  var figure: String { self < 10 ? formatted(digits: 1) : grouped }

  /// Returns the number with the given number of decimal digits.
  func formatted(digits: Int) -> String { String(format: "%.\(digits)f", self) }

  /// The rounded number with commas between thousands.
  var grouped: String { Int(rounded()).grouped }

  /// The number as a factor, with two significant digits.
  var times: String { "\(self >= 10 ? grouped : formatted(digits: self >= 1 ? 1 : 2))×" }
}

extension Int {
  /// The number with commas between thousands.
  var grouped: String {
    let digits = String(magnitude)
    let groups = stride(from: digits.count, to: 0, by: -3).map { digits.prefix($0).suffix(3) }
    return (self < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
  }
}
