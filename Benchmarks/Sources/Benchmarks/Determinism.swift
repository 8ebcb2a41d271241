import ArgumentParser
import Foundation
import StreamsWorkloads
import Synchronization

/// Checks that tasks in virtual time run in the same order in each run and in each process, however busy the computer
/// is.
struct Determinism: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs tasks in virtual time repeatedly, and compares the orders in which they ran.",
    discussion: """
      A run is a hundred tasks that sleep five times, and call an actor and functions after each sleep, while time is \
      moved on fifteen times. Each construct is run in this process and in new processes. Fails when two runs of a \
      construct differ, or when something has not happened when it had to.

      Then tasks that do not belong to a timeline sleep while an advance is awaited, in Swift 6 and in Swift 5 mode, and as \
      work of the main actor alone. Fails when a task of the caller's actor is missed, or one elsewhere while no core is \
      kept busy, or more of them than by yielding twenty times before each deadline.
      """)

  @Argument(help: "Parts of the names of constructs, or of \"awaiting an advance\", or all.")
  var constructs: [String] = []

  @Option(help: "The number of additional processes, which together do as many runs as this one.")
  var processes = 200

  @Option(help: "The number of runs of each construct in this process.")
  var runs = 1_000

  @Flag(help: "Keep all cores busy during the runs, with eight threads or twice the number of cores, if that is more.")
  var busy = false

  @Option(
    help: "The number of advances to await for each kind of task, or zero for none. Ten thousand take a few minutes.")
  var awaits = 100

  @Flag(help: .hidden)
  var reports = false

  private var selection: [Construct] {
    Construct.all.filter { construct in constructs.isEmpty || constructs.contains { construct.name.contains($0) } }
  }

  private var comparesAwaiting: Bool {
    awaits > 0 && (constructs.isEmpty || constructs.contains { "awaiting an advance".contains($0) })
  }

  func validate() throws {
    guard runs > 0, processes >= 0 else { throw ValidationError("There is nothing to run.") }
    guard !selection.isEmpty || comparesAwaiting else { throw ValidationError("There is no such construct.") }
  }

  func run() throws {
    let busyThreads = busy ? BusyThreads(max(8, ProcessInfo.processInfo.activeProcessorCount * 2)) : nil
    defer { busyThreads?.stop() }
    if !selection.isEmpty { try compareTraces() }
    if comparesAwaiting, !reports { try AwaitedComparison(rounds: awaits, isBusy: busy).run() }
  }

  private func compareTraces() throws {
    // Programs start on the main thread, which belongs to the main actor.
    var tallies = MainActor.assumeIsolated {
      selection.map { construct in
        if !reports { Progress.show(construct.name) }
        return Tally(construct, runs: runs)
      }
    }
    if reports { return print(String(decoding: try JSONEncoder().encode(tallies), as: UTF8.self)) }
    for process in 0..<processes {
      Progress.show("process \(process + 1) of \(processes)")
      let others = try Self.talliesOfNewProcess(constructs, runs: (runs + processes - 1) / processes)
      for index in tallies.indices { tallies[index].add(others[index]) }
    }
    Progress.end()
    print("\(processes + 1) processes, \(busy ? "all cores busy" : "idle")\n\n\(Self.table(tallies).plain)")
    for tally in tallies {
      if let difference = tally.difference { print("\n\(tally.name): \(difference)") }
    }
    guard tallies.allSatisfy(\.isDeterministic) else { throw ExitCode.failure }
    print("\nEvery construct ran in one order, and every check was right.")
  }

  private static func table(_ tallies: [Tally]) -> Table {
    var table = Table(header: [
      "Construct", "runs", "distinct traces", "checks", "wrong checks", "ms per advance", "longest run, ms",
    ])
    for tally in tallies {
      table.rows.append([
        tally.name, tally.runs.grouped, String(tally.digests.count),
        tally.checks.grouped, String(tally.wrongChecks),
        (tally.duration / .milliseconds(1) / Double(tally.runs * Construct.advances)).formatted(digits: 3),
        (tally.longestRun / .milliseconds(1)).formatted(digits: 1),
      ])
    }
    return table
  }

  /// Hash seeds stay random, as they are in tests.
  private static func talliesOfNewProcess(_ constructs: [String], runs: Int) throws -> [Tally] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Instructions.thisProgram)
    process.arguments = ["determinism", "--reports", "--runs", String(runs)] + constructs
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("A process ended with \(process.terminationStatus).") }
    return try JSONDecoder().decode([Tally].self, from: data)
  }
}

/// The results of many runs of a construct.
private struct Tally: Codable {
  let name: String
  var runs = 0
  var digests: Set<UInt64> = []
  var checks = 0
  var wrongChecks = 0
  var duration = Duration.zero
  var longestRun = Duration.zero
  /// The first difference between two traces, if there is one.
  var difference: String?

  var isDeterministic: Bool { digests.count == 1 && wrongChecks == 0 }

  @MainActor
  init(_ construct: Construct, runs: Int) {
    name = construct.name
    self.runs = runs
    var first: Trace?
    for _ in 0..<runs {
      let outcome = construct.run()
      digests.insert(outcome.trace.digest)
      checks += outcome.checks
      wrongChecks += outcome.wrongChecks
      duration += outcome.duration
      longestRun = max(longestRun, outcome.duration)
      let known = first ?? outcome.trace
      first = known
      if difference == nil { difference = outcome.trace.difference(from: known) }
    }
  }

  mutating func add(_ other: Tally) {
    runs += other.runs
    digests.formUnion(other.digests)
    checks += other.checks
    wrongChecks += other.wrongChecks
    duration += other.duration
    longestRun = max(longestRun, other.longestRun)
    difference = difference ?? other.difference
  }
}

extension Trace {
  fileprivate func difference(from other: Trace) -> String? {
    let (mine, others) = (entries, other.entries)
    guard mine != others else { return nil }
    let index = zip(mine, others).enumerated().first { $1.0 != $1.1 }?.offset ?? min(mine.count, others.count)
    func line(_ entries: [Entry]) -> String { entries.indices.contains(index) ? "\(entries[index])" : "nothing" }
    return "after \(index) equal lines, \(line(others)) in one run and \(line(mine)) in another"
  }
}

/// Threads that spin without doing any work, to keep the processors busy.
private final class BusyThreads: Sendable {
  private let isOver = Atomic(false)

  init(_ count: Int) {
    for _ in 0..<count { Thread.detachNewThread { [self] in while !isOver.load(ordering: .relaxed) {} } }
  }

  func stop() { isOver.store(true, ordering: .relaxed) }
}
