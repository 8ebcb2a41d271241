import Dispatch
import Foundation
import StreamAlgorithms
import StreamFoundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Times from outside that are zero, negative, the least, the largest, or beyond what virtual time can represent.
@Suite(.ownThread)
struct ExtremeTimesTests {
  static let largest = Duration(attoseconds: .max)
  static let least = Duration(attoseconds: .min)

  /// A duration, and the nearest number of nanoseconds that fits.
  static let durations: [(Duration, nanoseconds: Int)] = [
    (.zero, 0), (.seconds(-1), -1_000_000_000), (Duration(attoseconds: 1), 0), (Duration(attoseconds: -1), 0),
    (.nanoseconds(Int64.max), .max), (.nanoseconds(Int64.min), .min), (.seconds(Int64.max), .max),
    (.seconds(Int64.min), .min), (largest, .max), (least, .min),
  ]

  /// Durations for which a sleep does not return at once.
  static let endless: [Duration] = [.nanoseconds(Int64.max), .seconds(Int64.max), largest]
  static let elapsed: [Duration] = [.zero, .seconds(-1), .nanoseconds(Int64.min), .seconds(Int64.min), least]

  // MARK: Conversions

  @Test(arguments: durations)
  func `a duration in nanoseconds is clamped`(_ duration: Duration, _ nanoseconds: Int) {
    #expect(duration.virtualNanoseconds == nanoseconds)
    #expect(ClockStride(duration) == .nanoseconds(nanoseconds))
    #expect(DispatchQueue.SchedulerTimeType.Stride.duration(duration) == .nanoseconds(nanoseconds))
    #expect(ClockStride.duration(duration) == .nanoseconds(nanoseconds))
  }

  @Test(arguments: [Int.min, -1, 0, 1, .max])
  func `strides of whole nanoseconds saturate`(_ count: Int) {
    func check<Stride: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable>(_ type: Stride.Type) {
      let (longest, shortest) = (Stride.nanoseconds(.max), Stride.nanoseconds(.min))
      let made: [Stride] = [.seconds(count), .milliseconds(count), .microseconds(count), .nanoseconds(count)]
      for stride in made {
        #expect((stride > .zero) == (count > 0))
        #expect((stride < .zero) == (count < 0))
        for other in [stride + longest, stride - longest, stride * longest, stride - shortest, stride * shortest] {
          #expect(shortest <= other && other <= longest)
        }
      }
    }
    check(DispatchQueue.SchedulerTimeType.Stride.self)
    check(ClockStride.self)
  }

  @Test func `an infinite number of seconds becomes the longest stride, or the shortest`() {
    #expect(DispatchQueue.SchedulerTimeType.Stride(floatLiteral: .infinity) == .nanoseconds(.max))
    #expect(DispatchQueue.SchedulerTimeType.Stride(floatLiteral: -.infinity) == .nanoseconds(.min))
    #expect(ClockStride(floatLiteral: .infinity) == .nanoseconds(.max))
    #expect(ClockStride.seconds(-Double.greatestFiniteMagnitude) == .nanoseconds(.min))
  }

  @Test(arguments: [0, 1, UInt64(1) << 62 - 1, 1 << 63, .max])
  func `a decoded time of dispatch queues is in Dispatch's range`(_ nanoseconds: UInt64) throws {
    typealias Time = DispatchQueue.SchedulerTimeType
    let time = try JSONDecoder().decode(Time.self, from: Data("\(nanoseconds)".utf8))
    #expect(
      time == Time(nanoseconds < 1 << 62 - 1 ? DispatchTime(uptimeNanoseconds: max(1, nanoseconds)) : .distantFuture))
    for stride in [Time.Stride.nanoseconds(.min), .zero, .nanoseconds(.max)] {
      #expect(time.advanced(by: stride) >= Time(DispatchTime(uptimeNanoseconds: 1)))
      _ = DispatchQueue.main.now.distance(to: time.advanced(by: stride))
    }
  }

  @Test func `a decoded time that is no number of nanoseconds throws`() {
    typealias Time = DispatchQueue.SchedulerTimeType
    for text in ["-1", "1e300", "18446744073709551616", "null"] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(Time.self, from: Data(text.utf8)) }
    }
    for text in [#"{"_nanoseconds":1e300}"#, #"{"_nanoseconds":9223372036854775808}"#] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(Time.Stride.self, from: Data(text.utf8)) }
    }
  }

  // MARK: Instants

  @Test(arguments: durations.map(\.0))
  func `instants saturate at the largest and the least duration`(_ duration: Duration) {
    func check<C: Clock<Duration>>(_ clock: C) {
      for start in [clock.now, clock.now.advanced(by: Self.largest), clock.now.advanced(by: Self.least)] {
        let moved = start.advanced(by: duration)
        #expect(duration > .zero ? moved >= start : moved <= start)
        _ = clock.now.duration(to: moved)
        _ = moved.duration(to: clock.now)
        _ = start.duration(to: moved)
      }
    }
    for offset in [.seconds(1), .seconds(-1), Self.largest, Self.least] as [Duration] {
      check(TestClock(now: .init(offset: offset)))
      check(ImmediateClock(now: .init(offset: offset)))
      check(AnyClock(TestClock(now: .init(offset: offset))))
      check(AnyClock(ImmediateClock(now: .init(offset: offset))))
    }
    check(AnyClock(ContinuousClock()))
    check(AnyClock(SuspendingClock()))
    check(DispatchQueue.main.asClock())
    check(DispatchQueue.test.asClock())
    check(RunLoop.main.asClock())
  }

  @Test func `the distance between the ends of time is the largest duration`() {
    let (first, last) = (
      TestClock<Duration>.Instant(offset: Self.least), TestClock<Duration>.Instant(offset: Self.largest)
    )
    #expect(first.duration(to: last) == Self.largest)
    #expect(last.duration(to: first) == Self.least)
    #expect(last.advanced(by: .seconds(1)) == last)
    #expect(first.advanced(by: .seconds(-1)) == first)
  }

  // MARK: Sleeping

  @Test(arguments: endless)
  func `a sleep beyond the end of virtual time waits until it is cancelled`(_ duration: Duration) {
    func check(_ clock: TestClock<Duration>, _ sleep: @escaping @Sendable () async throws -> Void) {
      clock.advance(by: .seconds(1))
      let log = Log<String>()
      let task = Task(on: clock.scheduler) {
        do {
          try await sleep()
          log.append("ended")
        } catch {
          log.append("\(type(of: error))")
        }
      }
      clock.advance(by: .seconds(1_000_000))
      #expect(log.all == [])
      #expect(clock.pendingCount == 1)
      task.cancel()
      clock.advance()
      #expect(log.all == ["CancellationError"])
      #expect(clock.pendingCount == 0)
    }
    for offset in [Duration.zero, .seconds(-5), Self.largest, Self.least] {
      let clock = TestClock(now: .init(offset: offset))
      check(clock) { try await clock.sleep(for: duration) }
      let clockOfAnyType: any Clock<Duration> = clock
      check(clock) { try await clockOfAnyType.sleep(for: duration) }
    }
    let clock = TestClock()
    let erased = AnyClock(clock)
    check(clock) { try await erased.sleep(for: duration) }
    check(clock) { try await erased.sleep(until: erased.now.advanced(by: duration)) }
    check(clock) { try await clock.sleep(until: clock.now.advanced(by: duration)) }
    let scheduler = DispatchQueue.test(sharing: clock)
    check(clock) { try await scheduler.asClock().sleep(for: duration) }
    check(clock) { try await scheduler.sleep(for: .duration(duration)) }
    check(clock) { try await clock.scheduler.sleep(for: .duration(duration)) }
    let (_, issues) = IssueReporter.withCapture {
      check(clock) { try await UnimplementedClock(clock).sleep(for: duration) }
    }
    #expect(issues.count == 1)
  }

  @Test(arguments: elapsed)
  func `a sleep of zero or less returns at once`(_ duration: Duration) async throws {
    let clock = TestClock()
    await clock.advance(by: .seconds(1))
    let continuous: any Clock<Duration> = ContinuousClock()
    try await clock.sleep(for: duration)
    try await AnyClock(clock).sleep(for: duration)
    try await DispatchQueue.test(sharing: clock).sleep(for: .duration(duration))
    try await DispatchQueue.test(sharing: clock).asClock().sleep(for: duration)
    try await ImmediateClock().sleep(for: duration)
    try await continuous.sleep(for: duration)
    try await AnyClock(ContinuousClock()).sleep(for: duration)
    try await DispatchQueue.main.asClock().sleep(for: duration)
    try await ContinuousClock().scheduler.sleep(for: .duration(duration))
    #expect(clock.now.offset == .seconds(1))
  }

  @Test(arguments: endless)
  func `a sleep on a live clock that would end after centuries is cancelled`(_ duration: Duration) async {
    func check(_ sleep: @escaping @Sendable () async throws -> Void) async {
      let task = Task { try await sleep() }
      await aWhile()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    let clocks: [any Clock<Duration>] = [
      ContinuousClock(), SuspendingClock(), AnyClock(ContinuousClock()), AnyClock(SuspendingClock()),
      DispatchQueue.global().asClock(), OperationQueue().asClock(),
    ]
    for clock in clocks {
      await check { try await clock.sleep(for: duration, tolerance: Self.largest) }
      await check { try await clock.sleep(for: duration, tolerance: Self.least) }
    }
    await check { try await ContinuousClock().scheduler.sleep(for: .duration(duration)) }
    await check {
      let clock = AnyClock(ContinuousClock())
      try await clock.sleep(until: clock.now.advanced(by: duration))
    }
  }

  @Test func `a deadline at the end of a live clock's time is never reached`() async throws {
    // The standard library's own arithmetic cannot make this instant; decoding can.
    let instant = try JSONDecoder().decode(
      ContinuousClock.Instant.self, from: JSONEncoder().encode(Wrapped(Self.largest)))
    let scheduler = ContinuousClock().scheduler
    let date = ClockScheduler<ContinuousClock>.SchedulerTimeType(instant)
    scheduler.schedule(after: date) { Issue.record("This never runs.") }
    let once = scheduler.scheduleOnce(after: date, tolerance: .nanoseconds(.max), options: nil) {
      Issue.record("This never runs.")
    }
    let repeated = scheduler.schedule(after: date, interval: .nanoseconds(.max)) { Issue.record("This never runs.") }
    await aWhile()
    once.cancel()
    repeated.cancel()
  }

  @Test func `an immediate clock stops at the end of its time`() async throws {
    let clock = ImmediateClock(now: .init(offset: .seconds(1)))
    for duration in Self.endless { try await clock.sleep(for: duration) }
    #expect(clock.now.offset == Self.largest)
    try await AnyClock(clock).sleep(for: .seconds(1))
    try await clock.scheduler.sleep(for: .seconds(1))
    #expect(clock.now.offset == Self.largest)
  }

  // MARK: Timers

  @Test(arguments: elapsed)
  func `a timer with an interval of zero or less is reported and does not tick`(_ interval: Duration) async {
    let clock = TestClock()
    let (_, issues) = IssueReporter.withCapture {
      _ = clock.timer(interval: interval)
      _ = DispatchQueue.test.timer(interval: .duration(interval))
      _ = DispatchQueue.main.timerPublisher(every: interval)
      _ = DispatchQueue.test.schedule(after: DispatchQueue.test.now, interval: .duration(interval)) {}
    }
    #expect(issues.count == 4)
  }

  @Test(arguments: endless)
  func `a timer with an interval beyond the end of time does not tick`(_ interval: Duration) {
    let clock = TestClock(now: .init(offset: .seconds(1)))
    clock.advance(by: .seconds(1))
    let log = Log<String>()
    let task = Task(on: clock.scheduler) {
      for await _ in clock.timer(interval: interval, tolerance: Self.largest) { log.append("tick") }
      log.append("end")
    }
    clock.advance(by: .seconds(1_000_000))
    #expect(log.all == [])
    task.cancel()
    clock.advance()
    #expect(log.all == ["end"])
    #expect(clock.pendingCount == 0)
  }

  @Test(arguments: [Duration.seconds(1_000_000_000), .seconds(9_000_000_000), largest])
  func `a timer ends with the clock's time`(_ interval: Duration) {
    let clock = TestClock()
    let log = Log<String>()
    Task(on: clock.scheduler) {
      for await _ in clock.timer(interval: interval) { log.append("tick") }
      log.append("end")
    }
    clock.run()
    #expect(log.all.last == "end")
    #expect(log.all.count < 15)
    #expect(clock.pendingCount == 0)
  }

  @Test func `a timer skips any number of missed ticks`() async {
    let clock = ImmediateClock()
    var ticks = clock.timer(interval: Duration(attoseconds: 1)).makeAsyncIterator()
    for pause in [Duration.zero, .seconds(1), .seconds(100), .seconds(Int64.max), Self.largest] {
      #expect(await ticks.next() != nil)
      try? await clock.sleep(for: pause)
    }
    #expect(await ticks.next() != nil)
  }

  @Test func `a timer is on time after a pause of many intervals`() async {
    let clock = ImmediateClock()
    var ticks = clock.timer(interval: .seconds(3)).makeAsyncIterator()
    #expect(await ticks.next()?.offset == .seconds(3))
    try? await clock.sleep(for: .seconds(1_000_000_000_000))
    #expect(await ticks.next()?.offset == .seconds(1_000_000_000_005))
  }

  @Test func `a timer of a live clock with the largest interval is cancelled`() async {
    for clock in [AnyClock(ContinuousClock()), AnyClock(SuspendingClock())] {
      let log = Log<String>()
      let task = Task {
        for await _ in clock.timer(interval: Self.largest) { log.append("tick") }
      }
      await aWhile()
      task.cancel()
      await task.value
      #expect(log.all == [])
    }
  }

  // MARK: Advancing

  @Test(arguments: durations)
  func `time advances by any duration that is not negative`(_ duration: Duration, _ nanoseconds: Int) {
    let clock = TestClock(now: .init(offset: .seconds(-7)))
    clock.advance(by: .seconds(1))
    let (_, issues) = IssueReporter.withCapture {
      clock.advance(by: duration)
      clock.advance(to: clock.now.advanced(by: duration))
      let scheduler = DispatchQueue.test
      scheduler.advance(by: .duration(duration))
      let coarse = RunLoop.test
      coarse.advance(by: .duration(duration))
    }
    #expect((issues.count > 0) == (duration < .zero))
    #expect(clock.now.offset >= .seconds(-6))
    #expect(nanoseconds < .max || clock.now.offset == .nanoseconds(Int.max) - .seconds(7))
  }

  @Test(arguments: durations.map(\.0))
  func `waiting for sleepers accepts any timeout`(_ timeout: Duration) {
    let clock = TestClock()
    #expect(clock.armed(0, timeout: timeout))
    #expect(DispatchQueue.test.armed(0, timeout: timeout))
  }

  @Test(arguments: elapsed)
  func `waiting for sleepers for no time gives up at once`(_ timeout: Duration) async {
    let clock = TestClock()
    let (_, issues) = IssueReporter.withCapture {
      #expect(!clock.armed(1, timeout: timeout))
      #expect(!DispatchQueue.test.armed(1, timeout: timeout))
    }
    #expect(issues.count == 2)
  }

  @Test(arguments: durations.map(\.0))
  func `running to the end accepts any timeout`(_ timeout: Duration) async {
    await TestClock().run(timeout: timeout)
    await DispatchQueue.test.run(timeout: timeout)
  }

  // MARK: Operators

  @Test(arguments: [Int.min, -1_000_000_000, 0, 1_000_000, .max])
  func `operators accept any interval`(_ nanoseconds: Int) {
    func check<S: Scheduler>(_ scheduler: TestSchedulerOf<S>, _ type: S.Type) {
      let interval = S.SchedulerTimeType.Stride.nanoseconds(nanoseconds)
      let source = PassthroughSubject<Int, Never>()
      var ends = 0
      var cancellables: [AnyCancellable] = []
      func use<P: Publisher>(_ publisher: P) {
        publisher.sink { _ in
          ends += 1
        } receiveValue: { _ in
        }.store(in: &cancellables)
      }
      scheduler.advance(by: .seconds(1))
      use(source.delay(for: interval, tolerance: interval, scheduler: scheduler))
      use(source.debounce(for: interval, scheduler: scheduler))
      use(source.throttle(for: interval, scheduler: scheduler, latest: false))
      use(source.timeout(interval, scheduler: scheduler))
      use(source.collect(.byTime(scheduler, interval)))
      use(source.collect(.byTimeOrCount(scheduler, interval, 2)))
      use(source.delay(subscription: interval, tolerance: interval, scheduler: scheduler))
      use(source.prefix(duration: interval, tolerance: interval, scheduler: scheduler))
      if nanoseconds > 0 {
        use(source.poll(every: interval, scheduler: scheduler))
        use(source.rateLimit(1, per: interval, scheduler: scheduler, queueSize: 9, whenFull: .dropOldest))
      }
      for value in 1...3 {
        source.send(value)
        scheduler.advance(by: .milliseconds(10))
      }
      source.send(completion: .finished)
      scheduler.advance(by: .seconds(1))
      #expect(ends >= 5)
      cancellables = []
      #expect(scheduler.pendingCount == 0)
    }
    check(DispatchQueue.test, DispatchQueue.self)
    check(RunLoop.test, RunLoop.self)
  }

  // MARK: Policies

  @Test(arguments: [Duration.zero, .nanoseconds(Int64.max), .seconds(Int64.max), largest])
  func `a policy clamps its delays`(_ delay: Duration) {
    let expected = Duration.nanoseconds(delay.virtualNanoseconds)
    #expect(RetryPolicy.delay(delay, maxRetries: 1).delay(beforeRetry: 1) == expected)
    let growing = RetryPolicy.exponentialBackoff(first: delay, longest: delay, maxRetries: .max, jitter: .full)
    for retry in [1, 2, 1_000, .max] {
      #expect(growing.delay(beforeRetry: retry) == expected)
      #expect(growing.delay(beforeRetry: retry) { $0.upperBound } == expected)
    }
  }

  // MARK: Helpers

  /// Waits until a short timer has fired, so that what has been started before has begun.
  private func aWhile() async {
    await withCheckedContinuation { continuation in
      let queue = DispatchQueue.global()
      queue.schedule(after: queue.now.advanced(by: .milliseconds(5))) { continuation.resume() }
    }
  }
}

/// A value in the form in which an instant is encoded.
private struct Wrapped: Encodable {
  let _value: Duration

  init(_ value: Duration) { _value = value }
}
