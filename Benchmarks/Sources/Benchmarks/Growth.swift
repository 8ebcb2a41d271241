import ArgumentParser
import Foundation
import Workloads

/// Checks that the work for one of many elements does not grow with their number, or only as slowly as the height of a
/// tree.
struct Growth: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures the cost of an element for a thousand to a million elements.")

  @Argument(help: "The workloads, or all.")
  var workloads: [GrowingWorkload] = []

  @Option(help: "A file to write the results to.")
  var json: String?

  static let sizes = [1_000, 10_000, 100_000, 1_000_000]

  func run() throws {
    guard Instructions.valgrind != nil else {
      throw Failure("valgrind is not installed; growth requires instruction counts")
    }
    var results = GrowthResults()
    for workload in workloads.isEmpty ? GrowingWorkload.allCases : workloads {
      // A few elements instead of none, so that the cost of initialization for the first one cancels out.
      let few = 10
      let base = try Instructions.total(workload.rawValue, .streams, few)
      for size in Self.sizes {
        Progress.show("\(workload.rawValue), \(size.grouped)")
        let total = try Instructions.total(workload.rawValue, .streams, size)
        results.figures[workload, default: [:]][size] = Double(total - base) / Double(size - few)
        if let json { try Files.write(results, to: json) }
      }
    }
    Progress.end()
    print("Instructions per element, \(results.configuration) build, Swift \(results.swift)\n")
    print(results.table.plain)
    guard results.figures.values.allSatisfy({ GrowthResults.isLogarithmic($0) }) else { throw ExitCode.failure }
  }
}

extension GrowthResults {
  /// Returns whether figures grow no faster than the logarithm, with some slack for effects such as the allocator's
  /// caches.
  static func isLogarithmic(_ figures: [Int: Double]) -> Bool {
    guard let small = figures[Growth.sizes.first!], let large = figures[Growth.sizes.last!] else { return false }
    let logarithms = log(Double(Growth.sizes.last!)) / log(Double(Growth.sizes.first!))
    return large <= small * logarithms * 1.1
  }

  var table: Table {
    var table = Table(header: ["Workload"] + Growth.sizes.map(\.grouped) + ["growth", "no faster than log n"])
    for workload in GrowingWorkload.allCases {
      guard let figures = figures[workload] else { continue }
      let growth = (figures[Growth.sizes.last!] ?? 0) / (figures[Growth.sizes.first!] ?? 1)
      table.rows.append(
        [workload.rawValue] + Growth.sizes.map { figures[$0]?.grouped ?? "–" }
          + [growth.times, Self.isLogarithmic(figures) ? "yes" : "NO"])
    }
    return table
  }
}

extension GrowingWorkload: ExpressibleByArgument {}
