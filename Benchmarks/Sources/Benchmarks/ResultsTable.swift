import Workloads

/// Results as a table, with a column for each implementation, ratios to Streams, and footnotes.
struct ResultsTable {
  private(set) var table: Table
  private(set) var notes: [String] = []

  /// - Parameter workloads: The workloads that have a row, if there are results for them.
  init(_ results: Results, of workloads: [Workload] = Workload.allCases) {
    let names = ImplementationName.allCases.filter { name in workloads.contains { results.figures[$0]?[name] != nil } }
    table = Table(header: ["Workload"] + names.map(\.title))
    for workload in workloads {
      guard let figures = results.figures[workload] else { continue }
      let row = names.map { name in
        let mark = Registry.cell(workload, name).note.map { " [\(number(of: $0))]" } ?? ""
        guard let figure = figures[name] else { return "–\(mark)" }
        guard name != .streams, let streams = figures[.streams] else { return figure.figure + mark }
        return "\(figure.figure) (\((figure / streams).times))\(mark)"
      }
      table.rows.append([workload.rawValue] + row)
    }
  }

  /// Returns the number of a footnote. Equal notes share a number.
  private mutating func number(of note: String) -> Int {
    if let index = notes.firstIndex(of: note) { return index + 1 }
    notes.append(note)
    return notes.count
  }
}

extension ImplementationName {
  /// The implementations that are compared when the work is not a workload.
  static let besideOneAnother: [ImplementationName] = [.streams, .openCombine]

  /// The name for readers.
  var title: String {
    switch self {
    case .streams: "Streams"
    case .openCombine: "OpenCombine"
    case .async: "AsyncAlgorithms"
    case .limit: "by hand"
    }
  }
}
