import Dispatch
import Foundation
import StreamFoundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

@Suite
struct ClockSchedulerTests {
  private let clock = TestClock(now: .init(offset: .seconds(100)))
  private let log = Log<String>()

  @Test func `work is scheduled on the timeline of a test clock, also of an erased one`() {
    func use<S: Scheduler>(_ scheduler: S, _ name: String) -> any Cancellable {
      scheduler.schedule { [log] in log.append("\(name) now") }
      scheduler.schedule(after: scheduler.now.advanced(by: .seconds(2))) { [log] in log.append("\(name) 2") }
      scheduler.scheduleOnce(
        after: scheduler.now.advanced(by: .seconds(1)), tolerance: .zero, options: nil
      ) { Issue.record("was cancelled") }.cancel()
      return scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { [log] in log.append("\(name) tick") }
    }
    let one = use(clock.scheduler, "one")
    let two = use(AnyClock(clock).scheduler, "two")
    #expect(clock.pendingCount == 6)
    clock.advance(by: .seconds(2))
    #expect(
      log.all == [
        "one now", "one tick", "two now", "two tick", "one tick", "two tick", "one 2", "one tick", "two 2", "two tick",
      ])
    one.cancel()
    two.cancel()
    #expect(clock.pendingCount == 0)
  }

  @Test func `releasing the cancellable of repeating work stops it`() {
    _ = clock.scheduler.schedule(after: clock.scheduler.now, interval: 1) { Issue.record("ran") }
    #expect(clock.pendingCount == 0)
  }

  @Test func `operators accept the scheduler of a clock`() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.debounce(for: .milliseconds(300), scheduler: clock.scheduler)
      .sink { [log] in log.append("\($0)") }
    subject.send(1)
    clock.advance(by: .milliseconds(200))
    subject.send(2)
    clock.advance(by: .milliseconds(300))
    #expect(log.all == ["2"])
    cancellable.cancel()
    #expect(clock.pendingCount == 0)
  }

  @Test func `the scheduler's time is the clock's time`() {
    let scheduler = clock.scheduler
    #expect(scheduler.now.instant == clock.now)
    #expect(scheduler.minimumTolerance == .zero)
    let later = scheduler.now.advanced(by: 1.5)
    #expect(later.instant == clock.now.advanced(by: .milliseconds(1500)))
    #expect(scheduler.now.distance(to: later) == .milliseconds(1500))
    #expect(scheduler.now < later && scheduler.now != later)
    #expect(Set([later, later]).count == 1)
  }

  @Test func `strides are whole nanoseconds and saturate`() {
    typealias Stride = ClockStride
    #expect(Stride.seconds(Int.max) == .nanoseconds(.max))
    #expect(Stride.nanoseconds(.max) + .seconds(1) == .nanoseconds(.max))
    #expect(Stride.nanoseconds(.min) - .seconds(1) == .nanoseconds(.min))
    #expect(-Stride.nanoseconds(.min) == .nanoseconds(.max))
    #expect(Stride.seconds(3) * 2 == 6)
    #expect(Stride.milliseconds(1) + .microseconds(1) == .nanoseconds(1_001_000))
    #expect(Stride.seconds(Double.infinity) == .nanoseconds(.max))
    #expect(Stride.seconds(-Double.infinity) == .nanoseconds(.min))
    #expect(Stride(exactly: 5 as UInt8) == .seconds(5))
    #expect(Stride(exactly: UInt64.max) == nil)
    #expect(Stride(.seconds(2))._nanoseconds == 2_000_000_000)
    #expect(Stride(.milliseconds(2)).duration == .milliseconds(2))
    var stride: Stride = 1.5
    stride += 1
    stride -= 0.5
    stride *= 3
    stride.negate()
    #expect(stride == -6)
  }

  @Test func `an interval of zero or less is reported, and the work runs once`() {
    let (_, issues) = IssueReporter.withCapture {
      _ = clock.scheduler.schedule(after: clock.scheduler.now, interval: 0) { [log] in log.append("ran") }
    }
    #expect(issues.count == 1)
    clock.advance(by: .seconds(5))
    #expect(log.all == ["ran"])
  }

  // MARK: Clocks without a timeline

  @Test func `on another clock, work runs serially in the order of its dates`() async {
    let scheduler = AnyClock(Hidden(clock)).scheduler
    #expect(scheduler.taskExecutor == nil)
    scheduler.schedule { [log] in log.append("now") }
    #expect(await log.first(1) == ["now"])
    scheduler.schedule(after: scheduler.now.advanced(by: 2)) { [log] in log.append("two") }
    scheduler.schedule(after: scheduler.now.advanced(by: 1)) { [log] in log.append("one") }
    scheduler.schedule(after: scheduler.now.advanced(by: -1)) { [log] in log.append("past") }
    await clock.armed(2)
    #expect(await log.first(2) == ["now", "past"])
    await clock.advance(by: .seconds(1))
    #expect(await log.first(3) == ["now", "past", "one"])
    await clock.advance(by: .seconds(1))
    #expect(await log.first(4) == ["now", "past", "one", "two"])
  }

  @Test func `on another clock, cancelled work leaves nothing scheduled`() async {
    let scheduler = Hidden(clock).scheduler
    let work = scheduler.scheduleOnce(after: scheduler.now.advanced(by: 1), tolerance: .zero, options: nil) {
      Issue.record("was cancelled")
    }
    await clock.armed(1)
    work.cancel()
    // The cancellation reaches the task immediately, on the thread that cancels.
    #expect(clock.pendingCount == 0)
    await clock.advance(by: .seconds(2))
  }

  @Test func `on another clock, repeating work does not drift`() async {
    let scheduler = Hidden(clock).scheduler
    let log = log
    let timer = scheduler.schedule(after: scheduler.now.advanced(by: 0.5), interval: 1) {
      log.append("\(scheduler.now.instant)")
    }
    await clock.armed(1)
    await clock.advance(by: .milliseconds(500))
    #expect(await log.first(1) == ["100.5 seconds"])
    await clock.armed(1)
    await clock.advance(by: .milliseconds(1000))
    #expect(await log.first(2) == ["100.5 seconds", "101.5 seconds"])
    await clock.armed(1)
    timer.cancel()
    #expect(clock.pendingCount == 0)
  }

  @Test func `the scheduler of an immediate clock runs all work without waiting`() async {
    let scheduler = ImmediateClock().scheduler
    let log = log
    scheduler.schedule(after: scheduler.now.advanced(by: 3600)) { log.append("an hour") }
    #expect(await log.first(1) == ["an hour"])
    #expect(scheduler.now.instant.offset == .seconds(3600))
    let timer = scheduler.schedule(after: scheduler.now, interval: 1) { log.append("tick") }
    #expect(await log.first(5) == ["an hour", "tick", "tick", "tick", "tick"])
    timer.cancel()
  }
}

extension ClockSchedulerTests {
  @Test func `repeating work on an unimplemented clock is reported once`() async {
    let log = log
    let (_, issues) = await IssueReporter.withCapture {
      let scheduler = UnimplementedClock(name: "bridge").scheduler
      let timer = scheduler.schedule(after: scheduler.now, interval: 1, tolerance: 0) { log.append("ran") }
      _ = await log.first(10)
      timer.cancel()
    }
    let uses = ["'now' was read", "a timer was created"]
    #expect(issues.map(\.message) == uses.map { "The unimplemented clock 'bridge': \($0)." })
  }
}

/// A test clock of a type that the library does not recognize.
private struct Hidden: Clock {
  let base: TestClock<Duration>

  init(_ base: TestClock<Duration>) { self.base = base }

  var now: TestClock<Duration>.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: TestClock<Duration>.Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}

@Suite
struct SchedulerClockTests {
  private let scheduler = DispatchQueue.test
  private let log = Log<String>()

  @Test func `sleeps end when the scheduler advances`() {
    let clock: any Clock<Duration> = scheduler.asClock()
    Task(on: scheduler) { [log, scheduler] in
      try await clock.sleep(for: .seconds(1))
      log.append("\(scheduler.elapsed.timeInterval)")
      try await scheduler.asClock().sleep(for: .milliseconds(500), tolerance: .milliseconds(1))
      log.append("\(scheduler.elapsed.timeInterval)")
    }
    scheduler.advance(by: .milliseconds(1499))
    #expect(log.all == ["nanoseconds(1000000000)"])
    scheduler.advance(by: .milliseconds(1))
    #expect(log.all == ["nanoseconds(1000000000)", "nanoseconds(1500000000)"])
  }

  @Test func `a cancelled sleep leaves nothing scheduled, and a past deadline returns immediately`() {
    let clock = scheduler.asClock()
    let task = Task(on: scheduler) { [log] in
      try await clock.sleep(until: clock.now)
      do { try await clock.sleep(for: .seconds(1)) } catch { log.append("cancelled") }
    }
    scheduler.advance()
    task.cancel()
    scheduler.advance()
    #expect(log.all == ["cancelled"])
    scheduler.assertIdle()
  }

  @Test func `the clock's time is the scheduler's time`() {
    let clock = OperationQueue.test.asClock()
    #expect(clock.minimumResolution == .zero)
    let later = clock.now.advanced(by: .milliseconds(1500))
    #expect(later.date.date == Date(timeIntervalSince1970: 1.5))
    #expect(clock.now.duration(to: later) == .milliseconds(1500))
    #expect(clock.now < later)
    #expect(Set([later, later]).count == 1)
    #expect(clock.measure { clock.scheduler.advance(by: 2) } == .seconds(2))
  }

  @Test func `converting a scheduler to a clock and back stays on the timeline`() {
    let back = scheduler.asClock().scheduler
    let timer = back.schedule(after: back.now, interval: 1) { [log] in log.append("tick") }
    scheduler.schedule(after: scheduler.now.advanced(by: 1)) { [log] in log.append("action") }
    Task(on: back) { [log, scheduler] in
      try await AnyClock(scheduler.asClock()).sleep(for: .seconds(1))
      log.append("sleep")
    }
    scheduler.advance(by: 1)
    #expect(log.all == ["tick", "tick", "action", "sleep"])
    #expect(scheduler.clock.scheduler.now.instant.offset == .seconds(1))
    timer.cancel()
    scheduler.assertIdle()
  }

  @Test func `a timer on the clock of a scheduler ticks`() {
    Task(on: scheduler) { [scheduler, log] in
      for await tick in scheduler.eraseToAnyScheduler().asClock().timer(interval: .seconds(1)) {
        log.append("\(tick)")
      }
    }
    scheduler.advance(by: 3)
    #expect(log.all == ["1.0 seconds", "2.0 seconds", "3.0 seconds"])
  }
}
