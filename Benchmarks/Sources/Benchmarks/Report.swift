import ArgumentParser
import Foundation
import Workloads

/// Writes the results for readers.
struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes results into the article of measurements, and draws its chart.",
    discussion: """
      The article is Measurements.md, whose text is written by hand; its tables, notes and lists are replaced. The \
      conclusions in Performance.md are written by hand: compare them with the new tables. The chart is benchmarks.svg, light and dark, in the folder Resources.
      """)

  @Argument(help: "The results of a release build.")
  var results: String

  @Option(help: "The results of a debug build.")
  var debug: String?

  @Option(help: "The results of growth.")
  var growth: String?

  @Option(help: "The results of memory.")
  var memory: String?

  @Option(help: "The results of size.")
  var size: String?

  @Option(help: "The results of contention.")
  var contention: String?

  @Option(help: "The results of latency.")
  var latency: String?

  @Option(help: "The documentation catalog to write to.")
  var output: String

  func run() throws {
    let folder = URL(fileURLWithPath: output)
    let file = folder.appendingPathComponent("Measurements.md")
    var article = Article(try String(contentsOf: file, encoding: .utf8))
    let release = try Files.read(Results.self, from: results)
    guard release.unit == .instructions else { throw Failure("The article is about instructions: install valgrind.") }
    var notes: [String] = []
    try article.replace("Release builds", with: [release.section(notes: &notes)])
    let opaque = release.section(of: Workload.opaque.map(\.workload), notes: &notes)
    try article.replace("Opaque closures", with: [opaque, seen(release)])
    try article.replace("Long chains", with: [release.section(of: Workload.chains, notes: &notes)])
    try article.replace("Workloads", with: [Self.list(Workload.allCases) { ($0.rawValue, $0.explanation) }])
    if let debug {
      let section = try Files.read(Results.self, from: debug).section(notes: &notes)
      try article.replace("Debug builds", with: [section])
    }
    let numbered = notes.enumerated().map { "\($0 + 1). \($1)." }.joined(separator: "\n")
    try article.replace("Notes", with: [numbered])
    if let growth {
      let list = Self.list(GrowingWorkload.allCases) { ($0.rawValue, $0.explanation) }
      try article.replace(
        "Growth", with: [Files.read(GrowthResults.self, from: growth).table.markdown + "\n\n" + list])
    }
    if let memory {
      try article.replace("Memory", with: [Files.read(MemoryResults.self, from: memory).table.markdown])
    }
    if let size {
      let size = try Files.read(SizeResults.self, from: size)
      let list = Self.list(ClientProgram.allCases.filter { size.figures[$0] != nil }) { ($0.rawValue, $0.explanation) }
      try article.replace("Code and compile time", with: [size.table.markdown + "\n\n" + list])
    }
    let throughput = try contention.map { try Files.read(ContentionResults.self, from: $0) }
    let times = try latency.map { try Files.read(LatencyResults.self, from: $0) }
    if let times, times.work != 1_000 { throw Failure("The article is about sinks that take 1,000 ns for each value.") }
    let shapes = Self.list(ContendedShape.allCases) { ($0.rawValue, $0.explanation) }
    try article.replace(
      "Many threads",
      with: [
        throughput?.table.markdown, times?.table.markdown, times.map { "\($0.tableOfSinks.markdown)\n\n\(shapes)" },
      ])
    try write(article.text, to: file)
    for (name, theme) in [("benchmarks", Chart.Theme.light), ("benchmarks~dark", .dark)] {
      let chart = Chart(results: release, theme: theme)
      try write(chart.svg, to: folder.appendingPathComponent("Resources/\(name).svg"))
    }
  }

  /// Returns the costs of Streams with closures that the compiler sees, and with opaque ones.
  private func seen(_ results: Results) -> String {
    var table = Table(header: ["Workload", "visible closures", "opaque closures"])
    for row in Workload.opaque {
      guard let opaque = results.figures[row.workload]?[.streams] else { continue }
      table.rows.append([
        row.workload.rawValue, results.figures[row.seen]?[.streams]?.figure ?? "–", opaque.figure,
      ])
    }
    return table.markdown
  }

  private static func list<Item>(_ items: [Item], _ entry: (Item) -> (name: String, explanation: String)) -> String {
    items.map(entry).map { "- `\($0.name)`: \($0.explanation)." }.joined(separator: "\n")
  }

  private func write(_ text: String, to file: URL) throws {
    try Data(text.utf8).write(to: file)
    print("wrote \(file.path)")
  }
}

extension Results {
  /// The table of workloads, below a sentence about its figures.
  ///
  /// - Parameter notes: The footnotes of all tables, to which the table adds its own.
  fileprivate func section(of workloads: [Workload] = Workload.common, notes: inout [String]) -> String {
    let (table, allNotes) = table(of: workloads, after: notes)
    notes = allNotes
    let heading = """
      \(unit.rawValue.capitalized) per element, Swift \(swift), with the ratio to Streams in parentheses.
      """
    return [heading, table.markdown].joined(separator: "\n\n")
  }
}

/// An article whose tables, notes and lists are results.
struct Article {
  private var paragraphs: [String]

  init(_ text: String) { paragraphs = text.trimmingCharacters(in: .newlines).components(separatedBy: "\n\n") }

  var text: String { paragraphs.joined(separator: "\n\n") + "\n" }

  /// Replaces the results in a section, of which each may be several paragraphs between two of text, except for those
  /// that are `nil`.
  mutating func replace(_ section: String, with results: [String?]) throws {
    let start = paragraphs.firstIndex(of: "## \(section)") ?? paragraphs.endIndex
    let end = paragraphs[start...].dropFirst().firstIndex { $0.hasPrefix("## ") } ?? paragraphs.endIndex
    let places = paragraphs[start..<end].indices.split { !Self.isResult(paragraphs[$0]) }
    guard places.count == results.count else {
      throw Failure("The section “\(section)” has \(places.count) places for \(results.count) results.")
    }
    for case (let place, let result?) in zip(places, results).reversed() {
      paragraphs.replaceSubrange(place.first!...place.last!, with: [result])
    }
  }

  private static func isResult(_ paragraph: String) -> Bool {
    ["| ", "1. ", "- `", "Instructions per element, Swift"].contains { paragraph.hasPrefix($0) }
  }
}
