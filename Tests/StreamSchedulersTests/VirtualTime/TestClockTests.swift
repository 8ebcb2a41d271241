import Dispatch
import StreamSchedulers
import Streams
import Testing

/// Tasks on the clock's timeline, driven without `await`.
@Suite
struct TestClockTests {
  private let clock = TestClock()
  private let log = Log<String>()

  private func start(_ operation: sending @escaping () async throws -> Void) {
    Task(on: clock.scheduler, operation: operation)
  }

  // MARK: Sleeping

  @Test func `a sleep ends when its duration has elapsed, and not before`() {
    start { [clock, log] in
      try await clock.sleep(for: .seconds(10))
      log.append("woken at \(clock.now)")
    }
    clock.advance(by: .seconds(9))
    #expect(log.all == [])
    #expect(clock.pendingCount == 1)
    clock.advance(by: .seconds(1))
    #expect(log.all == ["woken at 10.0 seconds"])
    #expect(clock.pendingCount == 0)
  }

  @Test func `a sleep through any Clock behaves the same`() {
    let any: any Clock<Duration> = clock
    start { [log] in
      try await any.sleep(for: .seconds(1))
      log.append("one")
      try await any.sleep(for: .seconds(1))
      log.append("two")
    }
    clock.advance(by: .seconds(1))
    #expect(log.all == ["one"])
    clock.advance(by: .seconds(1))
    #expect(log.all == ["one", "two"])
  }

  @Test func `a sleep until now or a past deadline returns immediately`() async throws {
    clock.advanceSynchronously(by: .seconds(5))
    try await clock.sleep(until: clock.now)
    try await clock.sleep(until: TestClock.Instant(offset: .seconds(3)))
    try await clock.sleep(for: .zero)
    try await clock.sleep(for: .seconds(-1))
    // Shorter than the resolution of virtual time.
    try await clock.sleep(for: .nanoseconds(1) / 4)
    #expect(clock.pendingCount == 0)
    #expect(clock.now == .init(offset: .seconds(5)))
  }

  @Test func `sleeps with equal deadlines wake in the order in which they were armed`() {
    for number in 0..<100 {
      start { [clock, log] in
        try await clock.sleep(until: .init(offset: .seconds(1)))
        log.append("\(number)")
      }
    }
    clock.advance(by: .seconds(1))
    #expect(log.all == (0..<100).map(String.init))
  }

  @Test func `time advances from deadline to deadline`() {
    for seconds in [3, 1, 2] {
      start { [clock, log] in
        try await clock.sleep(for: .seconds(seconds))
        log.append("\(clock.now)")
        try await clock.sleep(for: .milliseconds(1500))
        log.append("\(clock.now)")
      }
    }
    clock.advance(to: .init(offset: .seconds(10)))
    #expect(log.all == ["1.0", "2.0", "2.5", "3.0", "3.5", "4.5"].map { "\($0) seconds" })
    #expect(clock.now == .init(offset: .seconds(10)))
  }

  @Test func `an awaited advance to an instant ends the sleeps until then`() async {
    start { [clock, log] in
      try await clock.sleep(for: .seconds(3))
      log.append("woken")
    }
    await clock.advance(to: .init(offset: .seconds(3)))
    #expect(log.all == ["woken"])
    #expect(clock.now == .init(offset: .seconds(3)))
  }

  @Test func `a clock begins at the given instant`() {
    let clock = TestClock(now: .init(offset: .seconds(100)))
    Task(on: clock.scheduler) { [log] in
      try await clock.sleep(until: .init(offset: .seconds(101)))
      log.append("\(clock.now)")
    }
    clock.advance(by: .seconds(1))
    #expect(log.all == ["101.0 seconds"])
    clock.advance(to: .init(offset: .seconds(105)))
    #expect(clock.now.offset == .seconds(105))
  }

  @Test func `a user-defined duration type is supported`() {
    struct Frames: VirtualDuration {
      var count: Int
      init(count: Int) { self.count = count }
      init(virtualNanoseconds nanoseconds: Int) { count = nanoseconds / 20_000_000 }
      var virtualNanoseconds: Int { count * 20_000_000 }
      static var zero: Self { Self(count: 0) }
      static func < (lhs: Self, rhs: Self) -> Bool { lhs.count < rhs.count }
      static func + (lhs: Self, rhs: Self) -> Self { Self(count: lhs.count + rhs.count) }
      static func - (lhs: Self, rhs: Self) -> Self { Self(count: lhs.count - rhs.count) }
      static func / (lhs: Self, rhs: Int) -> Self { Self(count: lhs.count / rhs) }
      static func * (lhs: Self, rhs: Int) -> Self { Self(count: lhs.count * rhs) }
      static func / (lhs: Self, rhs: Self) -> Double { Double(lhs.count) / Double(rhs.count) }
    }
    let clock = TestClock<Frames>()
    Task(executorPreference: clock.taskExecutor) { [log] in
      for await tick in clock.timer(interval: Frames(count: 25)) { log.append("\(tick.offset.count)") }
    }
    clock.advance(by: Frames(count: 60))
    #expect(log.all == ["25", "50"])
    #expect(clock.now.offset.count == 60)
  }

  @Test func `durations are whole nanoseconds and saturate`() {
    #expect(Duration.seconds(-1.5).virtualNanoseconds == -1_500_000_000)
    #expect((Duration.nanoseconds(3) / 2).virtualNanoseconds == 2)
    #expect((Duration.nanoseconds(-3) / 2).virtualNanoseconds == -2)
    #expect((Duration.nanoseconds(5) / 4).virtualNanoseconds == 1)
    #expect(Duration.seconds(Int64.max).virtualNanoseconds == .max)
    #expect(Duration.seconds(Int64.min).virtualNanoseconds == .min)
    start { [clock, log] in
      try await clock.sleep(for: .seconds(Int64.max))
      log.append("\(clock.now)")
    }
    clock.run()
    #expect(log.all == ["\(Duration.nanoseconds(Int.max))"])
  }

  // MARK: Cancelling

  @Test func `a cancelled sleep ends at the current time and leaves nothing scheduled`() {
    let task = Task(on: clock.scheduler) { [clock, log] in
      do {
        try await clock.sleep(for: .seconds(3600))
      } catch {
        log.append("\(type(of: error)) at \(clock.now)")
      }
    }
    clock.advance(by: .seconds(1))
    #expect(clock.pendingCount == 1)
    task.cancel()
    clock.advance()
    #expect(log.all == ["CancellationError at 1.0 seconds"])
    #expect(clock.pendingCount == 0)
  }

  @Test func `cancellation after the deadline does not fail the sleep`() {
    let task = Task(on: clock.scheduler) { [clock, log] in
      do {
        try await clock.sleep(for: .seconds(1))
        log.append("woken")
      } catch {
        log.append("cancelled")
      }
    }
    // Armed later for the same moment, so it runs between the end of the sleep and the continuation of the task.
    clock.advance()
    clock.scheduler.schedule(after: clock.scheduler.now.advanced(by: 1)) { task.cancel() }
    clock.advance(by: .seconds(1))
    #expect(log.all == ["woken"])
  }

  @Test func `cancellation at the deadline, before the wake-up, fails the sleep`() {
    let holder = Log<Task<Void, Never>>()
    clock.scheduler.schedule(after: clock.scheduler.now.advanced(by: 1)) { holder.all[0].cancel() }
    holder.append(
      Task(on: clock.scheduler) { [clock, log] in
        do { try await clock.sleep(for: .seconds(1)) } catch { log.append("cancelled at \(clock.now)") }
      })
    clock.advance(by: .seconds(1))
    #expect(log.all == ["cancelled at 1.0 seconds"])
    #expect(clock.pendingCount == 0)
  }

  @Test func `a task that is already cancelled does not sleep`() {
    for seconds in [0, 1] {
      start { [clock, log] in
        withUnsafeCurrentTask { $0?.cancel() }
        do { try await clock.sleep(for: .seconds(seconds)) } catch { log.append("\(error is CancellationError)") }
      }
    }
    clock.advance()
    #expect(log.all == ["true", "true"])
    #expect(clock.pendingCount == 0)
  }

  // MARK: Running

  @Test func `run advances until no sleep is pending`() {
    start { [clock, log] in
      for number in 1...5 {
        try await clock.sleep(for: .seconds(number))
        log.append("\(clock.now.offset.components.seconds)")
      }
    }
    clock.run()
    #expect(log.all == ["1", "3", "6", "10", "15"])
    #expect(clock.now.offset == .seconds(15))
  }

  @Test func `awaiting run advances until no sleep is pending`() async {
    start { [clock, log] in
      for number in 1...5 {
        try await clock.sleep(for: .seconds(number))
        log.append("\(clock.now.offset.components.seconds)")
      }
    }
    await clock.run()
    #expect(log.all == ["1", "3", "6", "10", "15"])
  }

  @Test func `in a task of the timeline, run waits for all other tasks`() throws {
    let scheduler = DispatchQueue.test(sharing: clock)
    let result = try scheduler.run { [clock, log] in
      for seconds in [3, 1, 2] {
        Task(on: scheduler) {
          try await clock.sleep(for: .seconds(seconds))
          log.append("\(seconds)")
        }
      }
      await clock.run()
      return log.all
    }
    #expect(result == ["1", "2", "3"])
    #expect(clock.now.offset == .seconds(3))
  }

  @Test func `run returns after the timeout despite endless work, and does not cancel sleeps`() async {
    let task = Task(on: clock.scheduler) { [clock, log] in
      do {
        while true { try await clock.sleep(for: .seconds(1)) }
      } catch {
        log.append("cancelled")
      }
    }
    let (line, issues) = await IssueReporter.withCapture {
      await clock.run(timeout: .milliseconds(1))
      return #line - 1 as UInt
    }
    #expect(issues.map(\.line) == [line])
    let message = issues.first?.message
    #expect(message?.hasPrefix("The clock did not become idle within 0.001 seconds; it is at ") == true)
    #expect(message?.contains("1 action is still pending:\n- number ") == true)
    #expect(log.all == [])
    task.cancel()
    clock.advanceSynchronously(by: .zero)
    #expect(log.all == ["cancelled"])
  }

  // MARK: Suspension

  @Test func `checkSuspension throws while a sleep is pending`() throws {
    try clock.checkSuspension()
    start { [clock] in try await clock.sleep(for: .seconds(2)) }
    let error = #expect(throws: SuspensionError.self) { try clock.checkSuspension() }
    #expect(
      error?.description == "1 action is still pending on the clock, at 0 s:\n- number 1, at 2 s")
    clock.advance(by: .seconds(2))
    try clock.checkSuspension()
  }

  @Test func `awaiting checkSuspension throws while a sleep is pending`() async throws {
    try await clock.checkSuspension()
    start { [clock] in try await clock.sleep(for: .seconds(2)) }
    await #expect(throws: SuspensionError.self) { try await clock.checkSuspension() }
    await clock.advance(by: .seconds(2))
    try await clock.checkSuspension()
  }

  @Test func `armed reports missing sleeps after the timeout`() async {
    let line = #line + 2 as UInt
    let (_, issues) = await IssueReporter.withCapture {
      #expect(await clock.armed(1, timeout: .milliseconds(1)) == false)
    }
    #expect(issues.map(\.line) == [line])
    #expect(issues.map(\.message) == ["After 0.001 seconds, no task is sleeping on the clock, 1 missing."])
    clock.scheduler.schedule {}
    let (_, others) = await IssueReporter.withCapture {
      #expect(await clock.armed(2, timeout: .milliseconds(1)) == false)
    }
    #expect(
      others.map(\.message) == [
        "After 0.001 seconds, 1 of 2 are sleeping on the clock, 1 missing:\n- number 0, at 0 s"
      ])
  }

  // MARK: Mistakes

  @Test func `time does not go back`() {
    clock.advance(by: .seconds(5))
    var line: UInt = 0
    let (_, issues) = IssueReporter.withCapture {
      line = #line + 1
      clock.advance(by: .seconds(-1))
      clock.advance(to: .init(offset: .seconds(4)))
    }
    #expect(issues.map(\.line) == [line, line + 1])
    #expect(
      issues.map(\.message) == [
        "Time cannot go back: advance(by: -1 s) has no effect, and the time stays 5 s.",
        "Time cannot go back: advance(to: 4 s) has no effect, and the time stays 5 s.",
      ])
    #expect(clock.now.offset == .seconds(5))
  }

  @Test func `a synchronous advance in a task of the timeline is reported`() {
    @Sendable func moveOn() { clock.advance(by: .seconds(1)) }
    let (_, issues) = IssueReporter.withCapture {
      Task(on: clock.scheduler) { moveOn() }
      clock.advance()
    }
    #expect(issues.count == 1)
    #expect(issues.first?.message.contains("await clock.advance(by:)") == true)
    #expect(clock.now.offset == .zero)
  }

  @Test func `endless work is reported when the budget is used up`() {
    let task = Task(on: clock.scheduler) { while !Task.isCancelled { await Task.yield() } }
    let (_, issues) = IssueReporter.withCapture { clock.advance(by: .seconds(1)) }
    // The task outlives the clock, and would occupy a thread during the following tests.
    task.cancel()
    #expect(issues.count == 1)
    #expect(
      issues.first?.message.hasPrefix("Time stopped at 0 s after 100000 actions at that instant") == true)
  }
}

extension TestClock {
  /// Calls the synchronous `advance` where the compiler would require `await`.
  func advanceSynchronously(by duration: Duration) { advance(by: duration) }
}
