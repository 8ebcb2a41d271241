import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Operators whose interval is a `Duration`, whatever the scheduler's own type is.
@Suite struct DurationTests {
  private let scheduler = DispatchQueue.test
  private let interval: Duration = .milliseconds(300)

  init() { scheduler.frame = .milliseconds(100) }

  @Test func `each operator takes a duration`() {
    let source = scheduler.hot("a-b----c-|")
    scheduler.expect(source.debounce(for: interval, scheduler: scheduler), "-----b---|")
    let another = scheduler.hot("a-b----c-|")
    scheduler.expect(another.delay(for: interval, scheduler: scheduler), "---a-b----c-|")
    let third = scheduler.hot("ab-----c-|")
    scheduler.expect(third.throttle(for: interval, scheduler: scheduler, latest: true), "a--b---c-|")
    let fourth = scheduler.hot("a-b------|")
    scheduler.expect(fourth.timeout(interval, scheduler: scheduler), "a-b--|")
    let fifth = scheduler.hot("ab-c-----|")
    scheduler.expect(fifth.prefix(duration: interval, scheduler: scheduler), "ab-(c|)")
    let sixth = scheduler.hot("(ab)-----|")
    scheduler.expect(
      sixth.rateLimit(1, per: interval, scheduler: scheduler, queueSize: 4, whenFull: .dropNewest), "a--b--|")
    let seventh = scheduler.cold("a|")
    scheduler.expect(seventh.delay(subscription: interval, scheduler: scheduler), "---a|")
  }

  @Test func `a timer takes a duration`() {
    let ticks = scheduler.record(scheduler.timerPublisher(every: interval).autoconnect())
    scheduler.advance(by: .seconds(1))
    #expect(ticks.values.count == 3)
    ticks.cancel()
  }

  @Test func `the scheduler of a clock takes the duration of its clock`() {
    let clock = TestClock()
    let recording = scheduler.record(Just(1).delay(for: interval, scheduler: clock.scheduler))
    #expect(recording.values == [])
    clock.advance(by: interval)
    #expect(recording.values == [1])
  }

  @Test(
    arguments: [
      (Duration.zero, 0), (.nanoseconds(1), 1), (.seconds(-2), -2_000_000_000), (.seconds(Int64.max), Int.max),
      (.seconds(Int64.min), Int.min), (Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999), 1),
    ])
  func `a stride of a duration has its whole nanoseconds`(duration: Duration, nanoseconds: Int) {
    #expect(DispatchQueue.SchedulerTimeType.Stride.duration(duration).magnitude == nanoseconds)
  }

  @Test func `a literal is a stride of the scheduler`() {
    let delayed = Just(1).delay(for: 0.5, scheduler: scheduler)
    #expect(delayed.interval == .milliseconds(500))
  }

  @Test func `the main queue needs no type`() {
    let received = Just(1).receive(on: .main)
    #expect(received.scheduler.label == DispatchQueue.main.label)
    let delayed = Just(1).delay(for: .seconds(1), scheduler: .main)
    #expect(delayed.scheduler.label == DispatchQueue.main.label)
  }
}
