import ArgumentParser
import Foundation
import Mutants
import ToolsSupport

struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs the tests with each mutant, and fails if one survives that nothing explains.")

  @OptionGroup var selection: Selection

  @Option(help: "How many mutants run at once.")
  var jobs = 2

  @Option(help: "The seconds of tests that a mutant may survive. All tests by default.")
  var patience = Double.infinity

  @Option(help: "A variable with which the copy is built and tested, as in `NAME=VALUE`. May be repeated.")
  var set: [String] = []

  @Flag(help: "Forgets the results of the last run.")
  var fresh = false

  @Option(help: "Runs mutants again that had this result in the last run. May be repeated.")
  var again: [Result.Outcome] = []

  @Option(help: "Only suites whose names contain this text. Classes of XCTest are named `XCTest Module.Class`.")
  var suites = ""

  func validate() throws {
    guard jobs > 0 else { throw ValidationError("--jobs must be at least 1, got \(jobs).") }
    for variable in set where !variable.contains("=") {
      throw ValidationError("--set takes NAME=VALUE, got \(variable).")
    }
  }

  func run() throws {
    let scratch = selection.scratchFolder
    var variables: [String: String] = [:]
    for variable in set {
      let parts = variable.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      variables[String(parts[0])] = String(parts[1])
    }
    let workspace = selection.workspace(environment: variables)
    try FileManager.default.createDirectory(at: workspace.copy, withIntermediateDirectories: true)
    if fresh { try? FileManager.default.removeItem(at: selection.results) }
    let complete = try selection.completeFiles()
    let files = try selection.chosen(of: complete)
    guard !files.isEmpty else { return say("No code has changed that has mutants.") }
    say("\(files.flatMap(\.mutants).count) mutants in \(files.count) files; building")
    let start = Date()
    let compiled = try workspace.build(files, report: say)
    say("\(compiled.count) mutants compile; \(Int(-start.timeIntervalSinceNow)) s")

    let program = try workspace.testProgram()
    let count = (compiled.last?.id ?? 0) + 2
    let reach = try Reach.of(program, mutants: count, jobs: jobs, scratch: scratch).keeping(suites: suites)
    let total = Int(reach.seconds.reduce(0, +))
    say("\(reach.suites.count) suites, \(total) s of tests; after \(Int(-start.timeIntervalSinceNow)) s")
    for suite in reach.failing { say("warning: \(suite) fails without a mutant, and is left out") }

    let known = Set(try selection.knownResults(of: files).filter { !again.contains($0.outcome) }.map(\.mutant.key))
    let mutants = compiled.filter { !known.contains($0.key) }
    let file = try ResultFile(selection.results)
    let hunt = Hunt(program, reach, patience: patience)
    let progress = Progress(of: mutants.count)
    inParallel(jobs, mutants.count) { index in
      let result = hunt.result(of: mutants[index])
      file.add(result)
      progress.note(result)
    }
    try summarize(files, of: complete)
  }

  /// Prints how many mutants of each folder were found, and fails with the survivors that nothing explains.
  private func summarize(_ files: [MutatedFile], of complete: [MutatedFile]) throws {
    var rows: [String: [Result.Outcome: Int]] = [:]
    for result in try selection.knownResults(of: files) {
      let folder = result.mutant.file.split(separator: "/").dropLast().prefix(4).joined(separator: "/")
      rows[folder, default: [:]][result.outcome, default: 0] += 1
    }
    for (folder, counts) in rows.sorted(by: { $0.key < $1.key }) { say("\(folder): \(Result.text(counts))") }
    for key in try selection.explanations().outdated(in: complete) {
      say("warning: an explanation is of no mutant: \(key)")
    }
    let left = try selection.unexplained(of: files)
    for result in left { say(result.line) }
    guard !left.isEmpty else { return }
    let group = Explanations.Group(kind: "…", reason: "…", mutants: left.map(\.mutant.key))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes]
    throw Failure(
      """
      \(left.count) mutants survive, and nothing explains why. Write a test that fails with each, or explain it in \
      \(selection.explanationsFile.path), in which a group looks like this:
      \(String(decoding: try encoder.encode(group), as: UTF8.self))
      """)
  }
}

extension Result.Outcome: ExpressibleByArgument {}

/// Prints from time to time how far a run is.
private final class Progress: @unchecked Sendable {
  // Protected by `lock`.
  private var counts: [Result.Outcome: Int] = [:]
  private var done = 0
  private let total: Int
  private let start = Date()
  private let lock = NSLock()

  init(of total: Int) { self.total = total }

  func note(_ result: Result) {
    lock.withLock {
      counts[result.outcome, default: 0] += 1
      done += 1
      guard done % 50 == 0 || done == total else { return }
      say("\(done) of \(total) after \(Int(-start.timeIntervalSinceNow)) s: \(Result.text(counts))")
    }
  }
}
