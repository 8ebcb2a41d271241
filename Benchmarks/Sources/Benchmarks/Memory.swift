import ArgumentParser
import Foundation
import Workloads

/// Counts what subscriptions take while they live.
struct Memory: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Counts bytes and allocations of subscriptions.",
    discussion: "It runs the program beside this one that replaces the allocator's functions.")

  @Option(help: "A file to write the results to.")
  var json: String?

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
    print(results.table.plain)
  }
}

extension MemoryResults {
  var table: Table {
    var table = Table(header: ["Subscription", "Streams", "OpenCombine"])
    for shape in SubscriptionShape.allCases {
      guard let figures = figures[shape] else { continue }
      let cells = [ImplementationName.streams, .openCombine].map { name in
        figures[name].map { "\($0.bytes.grouped) bytes in \($0.allocations.grouped)" } ?? "–"
      }
      table.rows.append([shape.explanation] + cells)
    }
    return table
  }
}
