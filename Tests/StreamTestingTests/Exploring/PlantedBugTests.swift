import Foundation
import StreamTesting
import Testing

/// How many runs it takes to find planted bugs in orders of each kind.
///
/// The documentation of `explore` contains the table for 50 attempts of 500 runs: set `STREAMS_ATTEMPTS=50` to print it.
@MainActor
@Suite(.serialized)
struct PlantedBugTests {
  private nonisolated static let attempts = ProcessInfo.processInfo.environment["STREAMS_ATTEMPTS"].flatMap(Int.init)

  /// The median number of runs until a bug shows, or the limit.
  private func runs(_ bug: PlantedBug, _ order: (_ attempt: UInt64, _ run: Int) -> RunOrder) -> Int {
    let attempts = Self.attempts ?? 15
    let limit = Self.attempts == nil ? 120 : 500
    let counts = (1...attempts).map { attempt in
      (1...limit).first { bug.fails(order(UInt64(attempt) * 10_000, $0)) } ?? limit
    }
    return counts.sorted()[attempts / 2]
  }

  private func medians(_ bug: PlantedBug) -> (shuffled: Int, prioritized: Int) {
    let shuffled = runs(bug) { .shuffled(seed: $0 + UInt64($1)) }
    let prioritized = runs(bug) { .prioritized(seed: $0 + UInt64($1)) }
    if Self.attempts != nil {
      let mixed = runs(bug) { attempt, run in
        let seed = attempt + UInt64(run / 2)
        return run.isMultiple(of: 2) ? .prioritized(seed: seed) : .shuffled(seed: seed)
      }
      print("| \(bug.name), \(bug.taskCount) tasks | \(bug.depth) | \(shuffled) | \(prioritized) | \(mixed) |")
    }
    return (shuffled, prioritized)
  }

  @Test(arguments: [PlantedBug.late, .early, .lost, .reset])
  func `prioritized orders find a task that overtakes another at least twice as soon`(_ bug: PlantedBug) {
    let (shuffled, prioritized) = medians(bug)
    #expect(!bug.fails(.fifo))
    #expect(2 * prioritized <= shuffled)
  }

  @Test(arguments: [PlantedBug.torn, .swapped, .alternating])
  func `shuffled orders find tasks that alternate sooner`(_ bug: PlantedBug) {
    let (shuffled, prioritized) = medians(bug)
    #expect(!bug.fails(.fifo))
    #expect(shuffled < prioritized)
  }
}
