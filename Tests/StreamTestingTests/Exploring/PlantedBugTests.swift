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
  private nonisolated static let limit = attempts == nil ? 120 : 500

  /// The median number of runs until a bug shows, or the limit.
  private func runs(
    _ bug: PlantedBug, limit: Int = limit, _ order: (_ attempt: UInt64, _ run: Int) -> RunOrder
  ) -> Int {
    let attempts = Self.attempts ?? 15
    let counts = (1...attempts).map { attempt in
      (1...limit).first { bug.fails(order(UInt64(attempt) * 10_000, $0)) } ?? limit
    }
    return counts.sorted()[attempts / 2]
  }

  private func shuffled(_ bug: PlantedBug, limit: Int = limit) -> Int {
    runs(bug, limit: limit) { .shuffled(seed: $0 + UInt64($1)) }
  }

  private func prioritized(_ bug: PlantedBug, limit: Int = limit) -> Int {
    runs(bug, limit: limit) { .prioritized(seed: $0 + UInt64($1)) }
  }

  private func printRow(_ bug: PlantedBug) {
    if Self.attempts != nil {
      let (shuffled, prioritized) = (shuffled(bug), prioritized(bug))
      let mixed = runs(bug) { attempt, run in
        let seed = attempt + UInt64(run / 2)
        return run.isMultiple(of: 2) ? .prioritized(seed: seed) : .shuffled(seed: seed)
      }
      print("| \(bug.name), \(bug.taskCount) tasks | \(bug.depth) | \(shuffled) | \(prioritized) | \(mixed) |")
    }
  }

  @Test(arguments: [PlantedBug.late, .early, .lost, .reset])
  func `prioritized orders find a task that overtakes another at least twice as soon`(_ bug: PlantedBug) {
    let prioritized = prioritized(bug)
    #expect(!bug.fails(.fifo))
    // Whether it takes more runs than that does not matter.
    #expect(2 * prioritized <= shuffled(bug, limit: 2 * prioritized))
    printRow(bug)
  }

  @Test(arguments: [PlantedBug.torn, .swapped, .alternating])
  func `shuffled orders find tasks that alternate sooner`(_ bug: PlantedBug) {
    let shuffled = shuffled(bug)
    #expect(!bug.fails(.fifo))
    #expect(shuffled < prioritized(bug, limit: shuffled + 1))
    printRow(bug)
  }
}
