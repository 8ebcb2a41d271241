import Foundation
import Mutants
import ToolsSupport

/// The tests of the copy, in suites, which run in a process of their own.
struct TestProgram: Sendable {
  let path: String
  let folder: URL
  let environment: [String: String]

  /// How the name of a class of XCTest begins. Others are suites of Swift Testing, or tests that are in none.
  private static let classes = "XCTest "

  /// The names of all suites.
  func suites() throws -> [String] {
    let found = try list(["--testing-library", "swift-testing", "--list-tests"])
    return try (found + list(["--list-tests"]).map { Self.classes + $0 }).sorted()
  }

  private func list(_ options: [String]) throws -> Set<String> {
    let listing = try run(options, nil, limit: 60)
    let names = listing.output.split(separator: "\n").filter { $0.contains(#/^\w+\./#) }
    return Set(names.map { name in name.firstIndex(of: "/").map { String(name[..<$0]) } ?? String(name) })
  }

  /// Runs suites with a mutant, or without one, until one fails.
  func run(
    suites: [String], mutant: Int? = nil, reached: URL? = nil, limit: Double
  ) throws -> (ending: Command.Ending, output: String) {
    var options: [String] = []
    for suite in suites where !suite.hasPrefix(Self.classes) {
      let name = NSRegularExpression.escapedPattern(for: suite)
      options += ["--filter", suite.hasSuffix(")") ? "^\(name)" : "^\(name)/"]
    }
    var runs = suites.filter { $0.hasPrefix(Self.classes) }.map { [String($0.dropFirst(Self.classes.count))] }
    if !options.isEmpty { runs.insert(["--testing-library", "swift-testing"] + options, at: 0) }
    var result: (ending: Command.Ending, output: String) = (.exited(0), "")
    for options in runs {
      result = try run(options, mutant, reached: reached, limit: limit)
      if !result.ending.isSuccess { break }
    }
    return result
  }

  private func run(
    _ options: [String], _ mutant: Int?, reached: URL? = nil, limit: Double
  ) throws -> (ending: Command.Ending, output: String) {
    var environment = environment
    // A mutant that crashes has been found; nobody reads where.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    environment[MutantSwitch.chosen] = mutant.map { "\($0)" }
    environment[MutantSwitch.reached] = reached?.path
    // What never stops to allocate, to run or to print is stopped, also in processes that tests start.
    let command = "ulimit -v 33554432; ulimit -t 600; ulimit -f 262144; ulimit -c 0; exec \"$0\" \"$@\""
    return try Command(
      program: "bash", arguments: ["-c", command, path] + options, environment: environment, folder: folder
    ).run(limit: limit, until: mutant == nil ? nil : " recorded an issue")
  }

  /// The first test that failed according to an output, or the message with which the process stopped.
  static func firstFailure(in output: String) -> String? {
    for line in output.split(separator: "\n") {
      if line.contains("Test Case '"), line.contains("' failed") { return String(line.prefix(160)) }
      if let range = line.range(of: "Fatal error: ") { return String(line[range.lowerBound...].prefix(160)) }
      guard let start = line.range(of: "✘")?.upperBound, line[start...].contains("Test ") else { continue }
      let end = line.range(of: " recorded an issue")?.lowerBound ?? line.range(of: " failed after")?.lowerBound
      guard let end, start < end else { continue }
      return String(line[start..<end].drop { $0 != "T" }.prefix(160))
    }
    return nil
  }
}
