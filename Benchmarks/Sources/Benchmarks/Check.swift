import ArgumentParser
import Workloads

/// Compares the results of all implementations, so that what is measured is the same work.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares what the implementations of each workload return.")

  @Option(help: "How many times each workload is done.")
  var count = 2_000

  func run() throws {
    var isRight = true
    for workload in Workload.allCases {
      let expected = Registry.cell(workload, .limit).run?(count)
      for name in ImplementationName.allCases where name != .limit {
        guard let result = Registry.cell(workload, name).run?(count), result != expected else { continue }
        isRight = false
        print("\(workload.rawValue) of \(name.title) returns \(result) instead of \(expected ?? 0)")
      }
    }
    guard isRight else { throw ExitCode.failure }
    print("All implementations of \(Workload.allCases.count) workloads return the same.")
  }
}
