import ArgumentParser
import Foundation
import Workloads

/// Measures the memory of subscriptions while they live.
struct Memory: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Counts bytes and allocations of subscriptions.",
    discussion: "It runs the program BenchmarksMemory, which replaces the allocator's functions.")

  @Option(help: "A file to write the results to.")
  var json: String?

  @Flag(name: .customLong("guard"), help: "Fail if a subscription takes more than was accepted.")
  var isGuard = false

  @Flag(help: "Accept the current memory of subscriptions.")
  var accept = false

  @Option(help: "The file with the accepted figures.")
  var file = Files.package.appendingPathComponent("memory.json").path

  func run() throws {
    let program = URL(fileURLWithPath: Instructions.thisProgram)
      .deletingLastPathComponent().appendingPathComponent("BenchmarksMemory").path
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Failure("\(program) is missing. Build all of the package: swift build -c release --package-path Benchmarks")
    }
    let output = try Instructions.run(program, [])
    let results = try JSONDecoder().decode(MemoryResults.self, from: Data(output.utf8))
    if let json { try Files.write(results, to: json) }
    print("Bytes and allocations per live subscription, \(results.configuration) build\n")
    print("\(results.table.plain)\n")
    print("Bytes as requested, and allocations, of inspection\n\n\(results.inspectionTable.plain)\n")
    if accept || isGuard { try compare(results) }
  }

  private func compare(_ results: MemoryResults) throws {
    guard !Build.isDebug else {
      throw Failure("The accepted figures apply to release builds only: swift run -c release …")
    }
    var limits = try Files.read(MemoryLimits.self, from: file)
    if accept {
      limits.accept(results)
      try Files.write(limits, to: file)
      return print("The accepted figures have been updated.")
    }
    guard limits.swift == Build.swiftVersion else {
      return print("The accepted figures were measured with Swift \(limits.swift): nothing is compared.")
    }
    for goal in limits.missedGoals(results) { print("Not reached yet: \(goal)") }
    try limits.findings(results).report(
      command: "swift run -c release --package-path Benchmarks Benchmarks memory --accept",
      success: "No subscription exceeds its limit.")
  }
}

/// The permitted memory of subscriptions: the file `memory.json`.
struct MemoryLimits: Codable {
  struct Figure: Codable {
    var bytes: Int
    var allocations: Int

    init(_ figure: MemoryResults.Figure) {
      bytes = Int(figure.bytes.rounded())
      allocations = Int(figure.allocations.rounded())
    }
  }

  struct Entry: Codable {
    /// The figure that was last accepted.
    var accepted: Figure
    /// The figure that is to be reached one day.
    var goal: Figure?
  }

  struct InspectionEntry: Codable {
    /// The figure that was last accepted.
    var accepted: Figure
    /// The number of bytes that has been promised.
    var ceiling: Int
  }

  /// The version of Swift to which the accepted figures belong.
  var swift: String
  var shapes: [SubscriptionShape: Entry]
  /// What inspected streams take more than others. What has been read of them, for a moment, has no limit.
  var inspection: [InspectionMemory: InspectionEntry]

  mutating func accept(_ results: MemoryResults) {
    swift = Build.swiftVersion
    for (shape, figures) in results.figures {
      guard let figure = figures[.streams] else { continue }
      shapes[shape] = Entry(accepted: Figure(figure), goal: shapes[shape]?.goal)
    }
    for case (let part, let figure?) in inspection.keys.map({ ($0, results.inspection[$0]) }) {
      inspection[part]?.accepted = Figure(figure)
    }
  }

  /// Returns complaints about any figure that has risen: the figures are the same in each run.
  func findings(_ results: MemoryResults) -> Findings {
    var findings = Findings()
    for shape in SubscriptionShape.allCases {
      guard let entry = shapes[shape], let figure = results.figures[shape]?[.streams].map(Figure.init) else {
        findings.complaints.append("\(shape.rawValue) has no accepted figure, or was not counted")
        continue
      }
      findings.compare(figure.bytes, shape.rawValue, "bytes", accepted: entry.accepted.bytes, allowedPercent: 0)
      findings.compare(
        figure.allocations, shape.rawValue, "allocations", accepted: entry.accepted.allocations, allowedPercent: 0)
    }
    for (part, entry) in inspection.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard let figure = results.inspection[part].map(Figure.init) else {
        findings.complaints.append("The inspection of \(part.rawValue) was not counted")
        continue
      }
      let name = "the inspection of \(part.rawValue)"
      findings.compare(figure.bytes, name, "bytes", accepted: entry.accepted.bytes, allowedPercent: 0)
      findings.compare(figure.allocations, name, "allocations", accepted: entry.accepted.allocations, allowedPercent: 0)
      if figure.bytes > entry.ceiling {
        findings.complaints.append("\(name) takes \(figure.bytes) bytes, more than its ceiling of \(entry.ceiling)")
      }
    }
    return findings
  }

  func missedGoals(_ results: MemoryResults) -> [String] {
    SubscriptionShape.allCases.compactMap { shape in
      guard let goal = shapes[shape]?.goal, let figure = results.figures[shape]?[.streams].map(Figure.init),
        figure.bytes > goal.bytes || figure.allocations > goal.allocations
      else { return nil }
      return """
        \(shape.rawValue) takes \(figure.bytes) bytes in \(figure.allocations) in place of \(goal.bytes) \
        in \(goal.allocations)
        """
    }
  }
}

extension MemoryResults {
  var inspectionTable: Table {
    var table = Table(header: ["Inspection", "Streams"])
    for part in InspectionMemory.allCases {
      guard let figure = inspection[part] else { continue }
      let allocations = figure.allocations < 10 ? figure.allocations.formatted(digits: 1) : figure.allocations.grouped
      table.rows.append([part.explanation, "\(figure.bytes.formatted(digits: 1)) bytes in \(allocations)"])
    }
    return table
  }

  var table: Table {
    var table = Table(header: ["Subscription", "Streams", "OpenCombine"])
    for shape in SubscriptionShape.allCases {
      guard let figures = figures[shape] else { continue }
      let cells = ImplementationName.besideOneAnother.map { name in
        figures[name].map { "\($0.bytes.grouped) bytes in \($0.allocations.grouped)" } ?? "–"
      }
      table.rows.append([shape.explanation] + cells)
    }
    return table
  }
}
