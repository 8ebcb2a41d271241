import ArgumentParser
import Foundation
import Workloads

/// Measures and compares.
struct Measure: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures workloads of all implementations.",
    discussion: """
      Counts instructions with valgrind, which are the same in each run and on each computer of a kind. Where valgrind is \
      not installed, it measures time instead, of which only the ratios mean something.
      """)

  @Argument(help: "The workloads, or all.")
  var workloads: [Workload] = []

  @Option(parsing: .upToNextOption, help: "The implementations, or all.")
  var implementations: [ImplementationName] = []

  @Option(help: "A file to write the results to.")
  var json: String?

  func run() throws {
    var results = Results(unit: Instructions.valgrind == nil ? .nanoseconds : .instructions)
    let workloads = workloads.isEmpty ? Workload.allCases : workloads
    let names = implementations.isEmpty ? ImplementationName.allCases : implementations
    for workload in workloads {
      Progress.show(workload.rawValue)
      let names = names.filter { Registry.cell(workload, $0).run != nil }
      results.figures[workload] =
        switch results.unit {
        case .instructions:
          Dictionary(
            uniqueKeysWithValues: zip(
              names,
              try Instructions.concurrently(names) {
                try Instructions.perElement(workload.rawValue, $0, Sizes(workload, $0))
              }))
        case .nanoseconds: WallClock.perElement(workload, names)
        }
      if let json { try Files.write(results, to: json) }
    }
    Progress.end()
    let (table, notes) = results.table()
    print("\(results.unit.title) per element, \(results.configuration) build, Swift \(results.swift)\n")
    print(table.plain)
    if !notes.isEmpty { print() }
    for (index, note) in notes.enumerated() { print("[\(index + 1)] \(note)") }
  }
}

extension Results.Unit {
  var title: String {
    switch self {
    case .instructions: "Instructions"
    case .nanoseconds: "Nanoseconds (valgrind is not installed; trust the ratios only)"
    }
  }
}

/// Measures time. Implementations take turns, so that a busy computer disturbs all of them, and the best run counts.
enum WallClock {
  static func perElement(_ workload: Workload, _ names: [ImplementationName]) -> [ImplementationName: Double] {
    var best: [ImplementationName: Double] = [:]
    for _ in 0..<7 {
      for name in names {
        guard let run = Registry.cell(workload, name).run else { continue }
        let count = Sizes(workload, name).large
        let duration = ContinuousClock().measure { blackHole(run(count)) }
        let nanoseconds = duration / .nanoseconds(1) / Double(count)
        best[name] = min(best[name] ?? .infinity, nanoseconds)
      }
    }
    return best
  }

  /// Prevents the compiler from removing an unused result.
  @inline(never)
  private static func blackHole(_ result: Int) {}
}

/// Reports progress on standard error, if that is a terminal.
enum Progress {
  private static let isShown = isatty(STDERR_FILENO) == 1

  static func show(_ text: String) { write("\r\u{1B}[K\(text) …") }

  static func end() { write("\r\u{1B}[K") }

  private static func write(_ text: String) {
    if isShown { FileHandle.standardError.write(Data(text.utf8)) }
  }
}
