import Foundation
import StreamAlgorithms
import Streams
import Synchronization
import Testing

@Suite(.serialized) struct ExplorerTests {
  @Test func `a lost update is found, and its order can be replayed`() throws {
    let scenario = Scenario("two increments that are not atomic") {
      let count = Streams.Atomic(UInt(0))
      let box = Box(count)
      let increment = { box.value.store(box.value.load(ordering: .acquiring) + 1, ordering: .releasing) }
      return .init(calls: [[increment], [increment]], outcome: { "\(box.value.load(ordering: .relaxed))" })
    }
    let explorer = Explorer(threads: 2)
    let failure = try #require(explorer.explore(scenario).failure)
    #expect(failure.text.hasPrefix("gives 1"))
    #expect(explorer.replay(failure.replay, of: scenario).outcome == "1")
  }

  /// One thread stores a value and then a flag; the other reads the value if it sees the flag.
  private func publication(isOrdered: Bool) -> Scenario {
    Scenario("publication") {
      let value = Box(Streams.Atomic(UInt(0)))
      let flag = Box(Streams.Atomic(false))
      let seen = Variable("nothing")
      let publish = {
        value.value.store(1, ordering: .relaxed)
        flag.value.store(true, ordering: isOrdered ? .releasing : .relaxed)
      }
      let read = {
        guard flag.value.load(ordering: isOrdered ? .acquiring : .relaxed) else { return }
        seen.value = "\(value.value.load(ordering: .relaxed))"
      }
      return .init(calls: [[publish], [read]], outcome: { seen.value! })
    }
  }

  @Test func `a value that is published without an order is found`() {
    let scenario = publication(isOrdered: false)
    #expect(Explorer(threads: 2).explore(scenario).failure?.text.hasPrefix("gives 0") == true)
    #expect(Explorer(threads: 2, exploresStaleLoads: false).explore(scenario).failure == nil)
  }

  @Test func `a value that is published with an order is not`() {
    let report = Explorer(threads: 2).explore(publication(isOrdered: true))
    #expect(report.failure == nil)
    #expect(report.staleLoads > 0)
  }

  @Test func `sleep sets cut off orders without losing an outcome`() {
    let scenario = Scenarios.subjects[0]
    let all = Explorer(threads: 2, usesSleepSets: false).explore(scenario)
    let some = Explorer(threads: 2).explore(scenario)
    #expect(some.orders < all.orders)
    #expect(all.failure == nil && some.failure == nil)
  }

  /// The lock itself: its word and its sleeping place are the steps.
  @Test(arguments: [2, 3]) func `the lock`(threads: Int) {
    let scenario = Scenario("lock ∥ lock") {
      let lock = Locked(0)
      let increment = { lock.withLock { $0 += 1 } }
      return .init(
        calls: Array(repeating: [increment], count: threads), outcome: { "\(lock.withLock { $0 })" })
    }
    let report = Explorer(threads: threads, locksAreSteps: false).explore(scenario, limit: 200_000)
    print(report)
    #expect(report.failure == nil)
    #expect(report.isExhaustive)
  }

  /// The word of a gate, and its sleeping place: its lock in steps, with and without a turn.
  @Test(arguments: Scenarios.turns.indices) func `the turn`(_ index: Int) {
    let report = Explorer(threads: 2, locksAreSteps: false).explore(Scenarios.turns[index], limit: 3_000)
    print(report)
    #expect(report.failure == nil)
  }

  private static func explore(_ scenario: Scenario) -> Report {
    let limit = ProcessInfo.processInfo.environment["STREAMS_EXPLORE"].flatMap(Int.init) ?? 100_000
    let start = ContinuousClock.now
    let report = Explorer.shared.explore(scenario, limit: max(limit, 1_000))
    // Not `print`, whose output would be lost if a scenario stopped the process.
    FileHandle.standardError.write(Data("\(report), \((ContinuousClock.now - start).formatted())\n".utf8))
    return report
  }

  @Test(arguments: Scenarios.all.indices) func scenario(_ index: Int) {
    #expect(Self.explore(Scenarios.all[index]).failure == nil)
  }

  /// In a process of its own, because what is registered is carried for the rest of the process.
  @Test func `scenarios with contexts`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      StreamContext.carry(Sender.$number)
      for scenario in Scenarios.contexts {
        if Self.explore(scenario).failure != nil { exit(EXIT_FAILURE) }
      }
    }
    FileHandle.standardError.write(Data(try #require(result).standardErrorContent))
  }
}

extension Explorer {
  // Safe despite `nonisolated(unsafe)`: the suite is serialized.
  nonisolated(unsafe) static let shared = Explorer(threads: 3)
}

final class Box<Value>: @unchecked Sendable where Value: ~Copyable {
  let value: Value
  init(_ value: consuming Value) { self.value = value }
}
