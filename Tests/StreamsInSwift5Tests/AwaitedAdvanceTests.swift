import StreamSchedulers
import Testing

/// Awaited advances, and tasks in Swift 5 mode that do not belong to the timeline.
@MainActor
@Suite
struct LegacyAwaitedAdvanceTests {
  private static let rounds = 10

  @Test func `an awaited advance misses no sleep of a task of the main actor`() async {
    for _ in 0..<Self.rounds {
      let clock = TestClock()
      var count = 0
      Task { @MainActor in
        for _ in 0..<5 {
          try await clock.sleep(for: .seconds(1))
          count += 1
        }
      }
      await clock.advance(by: .seconds(5))
      #expect(count == 5)
    }
  }

  @Test func `an awaited advance misses no sleep through any clock`() async {
    for _ in 0..<Self.rounds {
      let clock = TestClock()
      let anyClock: any Clock<Duration> = clock
      var isDone = false
      Task { @MainActor in
        try await anyClock.sleep(for: .seconds(1))
        isDone = true
      }
      await clock.advance(by: .seconds(1))
      #expect(isDone)
    }
  }

  /// The task is briefly elsewhere.
  @Test func `an awaited advance waits for a sleep in a file that does not import StreamSchedulers`() async {
    for _ in 0..<Self.rounds {
      let clock = TestClock()
      var isDone = false
      Task { @MainActor in
        try await sleepASecond(on: clock)
        isDone = true
      }
      await clock.advance(by: .seconds(1))
      #expect(isDone)
    }
  }

  @Test func `an awaited advance waits for the sleeps of a detached task`() async {
    for _ in 0..<Self.rounds {
      let clock = TestClock()
      let task = Task.detached {
        var instants: [Duration] = []
        for _ in 0..<5 {
          try await clock.sleep(for: .seconds(1))
          instants.append(clock.now.offset)
        }
        return instants
      }
      await clock.advance(by: .seconds(5))
      #expect(await task.result.map { $0 == (1...5).map { .seconds($0) } }.mapError { _ in Missed() } == .success(true))
    }
  }

  private struct Missed: Error, Equatable {}
}
