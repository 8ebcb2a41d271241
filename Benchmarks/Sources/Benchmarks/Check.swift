import ArgumentParser
import Workloads

/// Compares the results of all implementations, to ensure that they do the same work.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares the results of the implementations of each workload.")

  @Option(help: "The number of times each workload runs.")
  var count = 2_000

  func run() throws {
    var isRight = true
    for workload in Workload.allCases {
      // The reference is the handwritten implementation or, without one, the first that has the workload.
      var expected = Registry.cell(workload, .limit).run?(count)
      for name in ImplementationName.allCases where name != .limit {
        guard let result = Registry.cell(workload, name).run?(count) else { continue }
        let right = expected ?? result
        expected = right
        if result == right { continue }
        isRight = false
        print("\(workload.rawValue) of \(name.title) returns \(result) instead of \(right)")
      }
    }
    guard isRight else { throw ExitCode.failure }
    print("All implementations of \(Workload.allCases.count) workloads return the same.")
  }
}
