import StreamSchedulers
import Streams
import Testing

/// Tasks on any thread, while other threads advance time.
@Suite
struct TestClockConcurrencyTests {
  @Test func `sleeping, waking and cancelling on many threads loses no sleep`() async {
    for _ in 0..<50 {
      let clock = TestClock()
      let tasks = (0..<8).map { number in Task.detached { try await clock.sleep(for: .seconds(1 + number % 2)) } }
      await clock.armed(8)
      async let advance: Void = clock.advance(by: .seconds(2))
      tasks[0].cancel()
      await advance
      for task in tasks { _ = await task.result }
      #expect(clock.pendingCount == 0)
    }
  }

  @Test func `a sleep that begins during an advance still wakes`() async throws {
    for _ in 0..<200 {
      let clock = TestClock()
      let task = Task.detached { try await clock.sleep(until: .init(offset: .seconds(1))) }
      await Task.detached { clock.advanceSynchronously(by: .seconds(1)) }.value
      // The task ends whether its sleep began before or after the advance.
      try await task.value
      #expect(clock.pendingCount == 0)
    }
  }

  @Test func `a clock shared between threads as a scheduler loses no work`() async {
    for _ in 0..<50 {
      let clock = TestClock()
      let log = Log<Int>()
      await withTaskGroup { group in
        for number in 0..<4 {
          group.addTask {
            let scheduler = clock.scheduler
            scheduler.schedule(after: scheduler.now.advanced(by: 1)) { log.append(number) }
          }
        }
        group.addTask { clock.advanceSynchronously(by: .seconds(1)) }
      }
      await clock.run()
      #expect(log.all.sorted() == [0, 1, 2, 3])
    }
  }
}
