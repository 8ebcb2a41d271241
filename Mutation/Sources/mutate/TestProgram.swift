import Foundation
import Mutants

/// The tests of the copy, in suites, which run in a process of their own.
struct TestProgram: Sendable {
  let path: String
  let folder: URL
  let environment: [String: String]

  /// The names of all suites, and of tests that are in none.
  func suites() throws -> [String] {
    let listing = try run(["--list-tests"], nil, limit: 60)
    let names = listing.output.split(separator: "\n").filter { $0.contains(".") }.map { name in
      name.firstIndex(of: "/").map { String(name[..<$0]) } ?? String(name)
    }
    return Set(names).sorted()
  }

  /// Runs suites with a mutant, or without one.
  func run(
    suites: [String], mutant: Int? = nil, reached: URL? = nil, limit: Double
  ) throws -> (ending: Command.Ending, output: String) {
    var options: [String] = []
    for suite in suites {
      let name = NSRegularExpression.escapedPattern(for: suite)
      options += ["--filter", suite.hasSuffix(")") ? "^\(name)" : "^\(name)/"]
    }
    return try run(options, mutant, reached: reached, limit: limit)
  }

  private func run(
    _ options: [String], _ mutant: Int?, reached: URL? = nil, limit: Double
  ) throws -> (ending: Command.Ending, output: String) {
    var environment = environment
    // A mutant that crashes has been found; nobody reads where.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    environment[MutantSwitch.chosen] = mutant.map { "\($0)" }
    environment[MutantSwitch.reached] = reached?.path
    // What never stops to allocate or to run is stopped, also in processes that tests start.
    let command = "ulimit -v 33554432; ulimit -t 600; ulimit -c 0; exec \"$0\" \"$@\""
    return try Command(
      program: "bash", arguments: ["-c", command, path, "--testing-library", "swift-testing"] + options,
      environment: environment, folder: folder
    ).run(limit: limit, until: mutant == nil ? nil : " recorded an issue")
  }

  /// The first test that failed according to an output, or the message with which the process stopped.
  static func firstFailure(in output: String) -> String? {
    for line in output.split(separator: "\n") {
      if let range = line.range(of: "Fatal error: ") { return String(line[range.lowerBound...].prefix(160)) }
      guard let start = line.range(of: "✘")?.upperBound, line[start...].contains("Test ") else { continue }
      let end = line.range(of: " recorded an issue")?.lowerBound ?? line.range(of: " failed after")?.lowerBound
      guard let end, start < end else { continue }
      return String(line[start..<end].drop { $0 != "T" }.prefix(160))
    }
    return nil
  }
}
