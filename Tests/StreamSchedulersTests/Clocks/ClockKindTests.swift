import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

@Suite
struct ImmediateClockTests {
  @Test func `sleeps return immediately and advance time to the deadline`() async throws {
    let clock = ImmediateClock()
    try await clock.sleep(for: .seconds(3600))
    #expect(clock.now.offset == .seconds(3600))
    let any: any Clock<Duration> = clock
    try await any.sleep(for: .seconds(1))
    #expect(clock.now.offset == .seconds(3601))
  }

  @Test func `time never goes back`() async throws {
    let clock = ImmediateClock(now: .init(offset: .seconds(10)))
    try await clock.sleep(until: .init(offset: .seconds(3)))
    try await clock.sleep(for: .seconds(-3))
    #expect(clock.now.offset == .seconds(10))
  }

  @Test func `a sleep in a cancelled task throws and leaves time unchanged`() async {
    let clock = ImmediateClock()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      do { try await clock.sleep(for: .seconds(1)) } catch { try await clock.sleep(until: .init()) }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.now.offset == .zero)
  }

  @Test func `an endless loop of sleeps lets other tasks run`() {
    let scheduler = DispatchQueue.test
    let log = Log<String>()
    let task = Task(on: scheduler) {
      let clock = ImmediateClock()
      while true { try await clock.sleep(for: .seconds(1)) }
    }
    Task(on: scheduler) {
      task.cancel()
      log.append("cancelled")
    }
    scheduler.advance()
    #expect(log.all == ["cancelled"])
    scheduler.assertIdle()
  }
}

@Suite
struct UnimplementedClockTests {
  @Test func `each kind of use is reported once, and time still advances`() async throws {
    let line: UInt = #line + 1
    let clock = UnimplementedClock(name: "search")
    let (_, issues) = try await IssueReporter.withCapture {
      let now = clock.now
      _ = clock.minimumResolution
      try await clock.sleep(until: now.advanced(by: .seconds(1)))
      try await clock.sleep(for: .seconds(1))
      #expect(now.duration(to: clock.now) == .seconds(2))
    }
    #expect(
      issues.map(\.message) == [
        "The unimplemented clock 'search': 'now' was read.",
        "The unimplemented clock 'search': 'minimumResolution' was read.",
        "The unimplemented clock 'search': 'sleep(until:tolerance:)' was called.",
        "The unimplemented clock 'search': 'sleep(for:tolerance:)' was called.",
      ])
    #expect(issues.allSatisfy { $0.line == line && $0.fileID == #fileID })
  }

  @Test func `creating and erasing one reports nothing`() {
    let (_, issues) = IssueReporter.withCapture {
      _ = AnyClock(UnimplementedClock())
      _ = UnimplementedClock<Duration>(name: "two", now: .init(offset: .seconds(3)))
      let _: any Clock<Duration> = .unimplemented()
    }
    #expect(issues.isEmpty)
  }

  @Test func `all copies together report each kind of use once`() {
    let clock = UnimplementedClock(name: "search")
    let erased = AnyClock(clock)
    let (_, issues) = IssueReporter.withCapture { for _ in 0..<3 { _ = (clock.now, erased.now) } }
    #expect(issues.map(\.message) == ["The unimplemented clock 'search': 'now' was read."])
  }

  @Test func `a timer on an unimplemented clock is reported once`() async {
    let any: any Clock<Duration> = .unimplemented(name: "ticks")
    let clocks: [any Clock<Duration>] = [any, AnyClock(UnimplementedClock(name: "ticks"))]
    for clock in clocks {
      let (ticks, issues) = await IssueReporter.withCapture {
        var ticks: [Duration] = []
        for await tick in clock.timer(interval: .seconds(1)).prefix(100) { ticks.append(tick.offset) }
        return ticks
      }
      #expect(ticks == (1...100).map { .seconds($0) })
      #expect(issues.map(\.message) == ["The unimplemented clock 'ticks': a timer was created."])
    }
  }

  @Test func `sleeps on an unimplemented clock use the time of its base`() {
    let base = TestClock(now: .init(offset: .seconds(10)))
    let log = Log<String>()
    let (_, issues) = IssueReporter.withCapture {
      let clock = UnimplementedClock(base, name: "base")
      Task(on: base.scheduler) {
        try await clock.sleep(for: .seconds(1))
        log.append("\(base.now)")
      }
      base.advance(by: .seconds(1))
    }
    #expect(log.all == ["11.0 seconds"])
    #expect(issues.map(\.message) == ["The unimplemented clock 'base': 'sleep(for:tolerance:)' was called."])
  }
}

@Suite
struct AnyClockTests {
  private let clock = TestClock(now: .init(offset: .seconds(5)))

  @Test func `an erased clock forwards sleeps, time and resolution`() {
    let erased = AnyClock(clock)
    let log = Log<String>()
    Task(on: clock.scheduler) {
      try await erased.sleep(for: .seconds(1))
      log.append("\(erased.now)")
      try await erased.sleep(until: erased.now.advanced(by: .seconds(1)))
      log.append("\(erased.now)")
    }
    clock.advance(by: .seconds(1))
    #expect(log.all == ["6.0 seconds"])
    clock.advance(by: .seconds(1))
    #expect(log.all == ["6.0 seconds", "7.0 seconds"])
    #expect(erased.minimumResolution == .zero)
  }

  @Test func `instants of all erased forms of a clock can be compared`() {
    let one = AnyClock(clock)
    clock.advance(by: .seconds(3))
    let two = AnyClock(clock)
    #expect(one.now == two.now)
    #expect(two.now.offset == clock.now.offset)
    #expect(AnyClock(ContinuousClock()).now < AnyClock(ContinuousClock()).now.advanced(by: .seconds(60)))
    #expect(AnyClock(SuspendingClock()).now.duration(to: AnyClock(SuspendingClock()).now) >= .zero)
    #expect(AnyClock(ContinuousClock()).minimumResolution == ContinuousClock().minimumResolution)
  }

  @Test func `erasing an erased clock adds no wrapper`() {
    let log = Log<String>()
    struct Watched: Clock {
      let base = TestClock()
      let log: Log<String>
      var now: TestClock<Duration>.Instant {
        log.append("now")
        return base.now
      }
      var minimumResolution: Duration { .zero }
      func sleep(until deadline: TestClock<Duration>.Instant, tolerance: Duration?) async throws {}
    }
    let erased = AnyClock(Watched(log: log))
    #expect(log.all == ["now"])
    let again = AnyClock(AnyClock(erased))
    #expect(log.all == ["now"])
    #expect(erased.now == again.now)
    // The erased form of an unknown clock counts from its creation.
    #expect(again.now.offset == .zero)
  }

  @Test func `an erased live clock supports cancellation of sleeps`() async {
    let erased = AnyClock(ContinuousClock())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await erased.sleep(for: .seconds(3600))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

@Suite
struct ClockTimerTests {
  private let clock = TestClock()
  private let log = Log<Duration>()

  @Test func `ticks are one interval apart, the first after one interval`() {
    Task(on: clock.scheduler) { [clock, log] in
      for await tick in clock.timer(interval: .seconds(1)) { log.append(tick.offset) }
    }
    clock.advance(by: .milliseconds(3500))
    #expect(log.all == [.seconds(1), .seconds(2), .seconds(3)])
  }

  @Test func `a slow loop causes no drift, and missed ticks are dropped`() {
    Task(on: clock.scheduler) { [clock, log] in
      for await tick in clock.timer(interval: .seconds(1)) {
        log.append(tick.offset)
        try await clock.sleep(for: .milliseconds(2100))
      }
    }
    clock.advance(by: .seconds(8))
    // At 3.1 s, the next tick is at 4 s.
    #expect(log.all == [.seconds(1), .seconds(4), .seconds(7)])
  }

  @Test func `a tick that is due when the loop continues is delivered immediately`() {
    Task(on: clock.scheduler) { [clock, log] in
      for await tick in clock.timer(interval: .seconds(1)) {
        log.append(tick.offset)
        try await clock.sleep(for: .seconds(1))
      }
    }
    clock.advance(by: .seconds(3))
    #expect(log.all == [.seconds(1), .seconds(2), .seconds(3)])
  }

  @Test func `no tick waits longer than an interval because the clock is set back`() {
    let calendar = CalendarClock(clock)
    Task(on: clock.scheduler) { [clock, log] in
      for await _ in calendar.timer(interval: .seconds(10)) { log.append(clock.now.offset) }
    }
    clock.advance(by: .seconds(24))
    calendar.shift.value = .seconds(-3600)
    clock.advance(by: .seconds(20))
    // The sleep of the third tick was under way.
    #expect(log.all == [.seconds(10), .seconds(20), .seconds(30), .seconds(40)])
    calendar.shift.value = .seconds(3603)
    clock.advance(by: .seconds(20))
    // The ticks follow the clock again, and those that it has skipped do not come.
    #expect(log.all.dropFirst(4) == [.seconds(50), .seconds(57)])
  }

  @Test func `fractional intervals do not drift`() {
    let third = Duration.seconds(1) / 3
    Task(on: clock.scheduler) { [clock, log] in
      for await tick in clock.timer(interval: third) { log.append(tick.offset) }
    }
    clock.advance(by: .seconds(100) + .nanoseconds(1))
    #expect(log.all.count == 300)
    #expect(log.all.last == third * 300)
  }

  @Test func `cancelling the task ends the sequence and leaves nothing scheduled`() {
    let task = Task(on: clock.scheduler) { [clock, log] in
      var iterator = clock.timer(interval: .seconds(1)).makeAsyncIterator()
      while await iterator.next() != nil { log.append(clock.now.offset) }
      #expect(await iterator.next() == nil)
      log.append(.zero)
    }
    clock.advance(by: .seconds(1))
    task.cancel()
    clock.advance()
    #expect(log.all == [.seconds(1), .zero])
    #expect(clock.pendingCount == 0)
  }

  @Test func `leaving the loop leaves nothing scheduled, and each iteration has its own timer`() {
    let timer = clock.timer(interval: .seconds(1))
    Task(on: clock.scheduler) { [clock, log] in
      for await _ in timer { break }
      try await clock.sleep(for: .milliseconds(500))
      for await tick in timer.prefix(2) { log.append(tick.offset) }
    }
    clock.run()
    #expect(log.all == [.milliseconds(2500), .milliseconds(3500)])
  }

  @Test func `an interval of zero or less is reported at the line that creates the timer, which never ticks`() async {
    for interval: Duration in [.zero, .seconds(-1)] {
      let (timer, issues) = IssueReporter.withCapture { clock.timer(interval: interval) }
      #expect(issues.map(\.line) == [#line - 1])
      for await _ in timer { Issue.record("ticked") }
    }
    #expect(clock.pendingCount == 0)
  }
}

/// A clock that a test sets. Its sleeps measure time.
private struct CalendarClock: Clock {
  typealias Instant = TestClock<Duration>.Instant
  let base: TestClock<Duration>
  let shift = Box(Duration.zero)

  init(_ base: TestClock<Duration>) { self.base = base }

  var now: Instant { base.now.advanced(by: shift.value) }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline.advanced(by: .zero - shift.value), tolerance: tolerance)
  }
}
