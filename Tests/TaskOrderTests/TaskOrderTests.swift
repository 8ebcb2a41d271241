import Foundation
import StreamAlgorithms
import SuiteSupport
import Testing

/// Tasks in virtual time run in the same order in each run and in each process, however busy the computer is.
///
/// A run is a hundred tasks that sleep five times, and call an actor and functions after each sleep, while time is moved
/// on fifteen times. `STREAMS_RUNS` is the number of runs of each construct.
@MainActor
@Suite(.serialized)
struct TaskOrderTests {
  private nonisolated static let runs =
    ProcessInfo.processInfo.environment["STREAMS_RUNS"].flatMap(Int.init) ?? defaultRuns

  #if DEBUG
    private nonisolated static let defaultRuns = 2
  #else
    private nonisolated static let defaultRuns = 60
  #endif

  @Test(arguments: Construct.all)
  func `each run has the same order while all cores are busy`(_ construct: Construct) {
    let busyThreads = BusyThreads()
    defer { busyThreads.stop() }
    let expected = construct.run()
    #expect(expected.wrongChecks == 0)
    #expect(expected.checks > Scene.advances)
    for _ in 1..<Self.runs {
      let outcome = construct.run()
      #expect(outcome.wrongChecks == 0)
      if let difference = outcome.trace.difference(from: expected.trace) { Issue.record(Comment(rawValue: difference)) }
    }
  }

  private static let digests = Construct.all.map { $0.run().trace.digest }

  /// Hash seeds differ from process to process.
  @Test(.exits, arguments: 1...4)
  func `each process has the same orders`(_ process: Int) async {
    let expected = Self.digests
    let runs = (Self.runs + 3) / 4
    await #expect(processExitsWith: .success) { @MainActor [expected = expected as [UInt64], runs = runs as Int] in
      for (construct, digest) in zip(Construct.all, expected) {
        for _ in 0..<runs {
          let outcome = construct.run()
          #expect(outcome.trace.digest == digest, "\(construct.name)")
          #expect(outcome.wrongChecks == 0, "\(construct.name)")
        }
      }
    }
  }
}

extension Trace {
  /// The first difference between two traces, if there is one.
  fileprivate func difference(from other: Trace) -> String? {
    let (mine, others) = (entries, other.entries)
    guard mine != others else { return nil }
    let index = zip(mine, others).enumerated().first { $1.0 != $1.1 }?.offset ?? min(mine.count, others.count)
    func line(_ entries: [Entry]) -> String { entries.indices.contains(index) ? "\(entries[index])" : "nothing" }
    return "after \(index) equal lines, \(line(others)) in one run and \(line(mine)) in another"
  }
}
