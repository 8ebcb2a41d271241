import Dispatch
import Foundation
import StreamAlgorithms
import StreamFoundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Several schedulers and clocks that share one timeline.
@Suite
struct SharedTimeTests {
  private let queue = DispatchQueue.test
  private let log = Log<String>()

  @Test func `queues, a run loop, a clock and a date provider advance together, in one order`() {
    let runLoop = RunLoop.test(sharing: queue)
    let operations = OperationQueue.test(sharing: runLoop)
    let clock = queue.clock
    let date = operations.dateProvider(from: Date(timeIntervalSince1970: 1000))
    let log = log
    @Sendable func note(_ name: String) { log.append("\(name) \(date().timeIntervalSince1970 - 1000)") }

    runLoop.schedule(after: runLoop.now.advanced(by: 2)) { note("run loop") }
    Task(on: operations) {
      try await clock.sleep(for: .seconds(1))
      note("clock")
      try await queue.sleep(for: .seconds(1))
      note("queue's sleep")
    }
    operations.schedule(after: operations.now.advanced(by: 1)) { note("operations") }
    queue.schedule(after: queue.now.advanced(by: 2)) { note("queue") }
    let timer = clock.scheduler.schedule(after: clock.scheduler.now, interval: 1) { note("timer") }

    #expect(queue.pendingCount == 5)
    #expect(clock.pendingCount == 5)
    clock.advance(by: .seconds(2))
    #expect(
      log.all == [
        "timer 0.0", "operations 1.0", "timer 1.0", "clock 1.0", "run loop 2.0", "queue 2.0", "timer 2.0",
        "queue's sleep 2.0",
      ])
    #expect(queue.elapsed == .seconds(2))
    #expect(runLoop.elapsed == .seconds(2))
    #expect(operations.elapsed == .seconds(2))
    #expect(clock.now.offset == .seconds(2))
    #expect(runLoop.now.date == Date(timeIntervalSince1970: 2))
    timer.cancel()
    runLoop.advance(by: 1)
    #expect(queue.elapsed == .seconds(3))
    #expect(date() == Date(timeIntervalSince1970: 1003))
    queue.assertIdle()
  }

  @Test func `the start date of a shared scheduler is the beginning of the timeline`() {
    queue.advance(by: 10)
    let late = TestSchedulerOf<RunLoop>(now: .init(Date(timeIntervalSince1970: 100)), sharing: queue)
    #expect(late.now.date == Date(timeIntervalSince1970: 110))
    #expect(queue.clock.now.offset == .seconds(10))
    #expect(TestClock<Duration>(now: .init(offset: .seconds(5)), sharing: queue).now.offset == .seconds(15))
    #expect(queue.dateProvider(from: Date(timeIntervalSince1970: 0))() == Date(timeIntervalSince1970: 10))
    #expect(DispatchQueue.test(sharing: queue).now == queue.now)
    #expect(OperationQueue.test(sharing: queue).elapsed == 10)
    #expect(RunLoop.test(sharing: queue).elapsed == 10)
  }

  @Test func `schedulers share the time of a clock`() {
    let clock = TestClock(now: .init(offset: .seconds(50)))
    let queue = DispatchQueue.test(sharing: clock)
    let runLoop = RunLoop.test(sharing: clock)
    let operations = OperationQueue.test(sharing: clock)
    let date = clock.dateProvider(from: Date(timeIntervalSince1970: 0))
    for (number, stride) in [3, 1, 2].enumerated() {
      queue.schedule(after: queue.now.advanced(by: .seconds(stride))) { [log] in log.append("queue \(number)") }
    }
    runLoop.schedule(after: runLoop.now.advanced(by: 2)) { [log] in log.append("run loop") }
    operations.schedule(after: operations.now.advanced(by: 1)) { [log] in log.append("operations") }
    clock.advance(by: .seconds(2))
    #expect(log.all == ["queue 1", "operations", "queue 2", "run loop"])
    #expect(queue.elapsed == 2)
    #expect(date() == Date(timeIntervalSince1970: 2))
    queue.run()
    #expect(clock.now.offset == .seconds(53))
  }

  @Test func `a sleep on the clock is pending work of the scheduler`() {
    Task(on: queue) { [clock = queue.clock] in try await clock.sleep(for: .seconds(2)) }
    queue.advance(by: 1)
    #expect(queue.pendingCount == 1)
    #expect(queue.nextDate == queue.now.advanced(by: 1))
    let (_, issues) = IssueReporter.withCapture { queue.assertIdle() }
    #expect(issues.map { $0.message.hasPrefix("1 action is still pending") } == [true])
    queue.run()
    queue.assertIdle()
    #expect(queue.elapsed == 2)
  }

  @Test func `in a body, an awaited advance of one clock is a barrier for all work of the timeline`() throws {
    let clock = queue.clock
    try queue.run { [queue, log] in
      Task(on: queue) {
        try await clock.sleep(for: .seconds(1))
        log.append("clock")
      }
      queue.schedule(after: queue.now.advanced(by: 1)) { log.append("queue") }
      await clock.advance(by: .seconds(1))
      log.append("advanced")
    }
    #expect(log.all == ["queue", "clock", "advanced"])
  }

  @Test func `schedulers of any two time types can share a timeline`() {
    let virtual = VirtualScheduler(now: 1000, sharing: queue)
    virtual.after(1500) { [log] in log.append("\(virtual.now)") }
    queue.advance(by: .nanoseconds(500))
    #expect(log.all == ["1500"])
    let queue = DispatchQueue.test(sharing: virtual)
    #expect(queue.now.dispatchTime.uptimeNanoseconds == 501)
  }

  @Test func `a clock retains its timeline`() {
    func clock() -> TestClock<Duration> { DispatchQueue.test.clock }
    let clock = clock()
    Task(on: clock.scheduler) { [log] in
      try await clock.sleep(for: .seconds(1))
      log.append("woken")
    }
    clock.advance(by: .seconds(1))
    #expect(log.all == ["woken"])
  }

  @Test func `a recording counts from the beginning, whichever scheduler or clock advances`() {
    let clock = queue.clock
    let subject = PassthroughSubject<Int, Never>()
    let recorder = queue.record(subject)
    clock.advance(by: .seconds(1))
    subject.send(7)
    #expect(recorder.events == [.next(at: 1, 7)])
    recorder.cancel()
  }
}
