import StreamSchedulers
import Streams
import Testing

struct TestSchedulerPendingTests {
  let timers = Timers()
  let scheduler = VirtualScheduler()

  @Test func `the pending count is the number of pending actions`() {
    scheduler.after(1) {}
    let cancelled = scheduler.once(2) {}
    timers.next = scheduler.schedule(after: 3, interval: 1) {}
    #expect(scheduler.pendingCount == 3)
    cancelled.cancel()
    #expect(scheduler.pendingCount == 2)
    scheduler.advance(by: 10)
    #expect(scheduler.pendingCount == 1)
  }

  @Test func `the next date is the date of the first pending action`() {
    #expect(scheduler.nextDate == nil)
    scheduler.after(9) {}
    let first = scheduler.once(2) {}
    #expect(scheduler.nextDate == 2)
    first.cancel()
    #expect(scheduler.nextDate == 9)
  }

  @Test func `pending actions are listed in the order in which they will run`() {
    scheduler.after(9) {}
    timers.next = scheduler.schedule(after: 4, interval: 6) {}
    scheduler.once(5) {}.cancel()
    scheduler.after(4) {}
    #expect(scheduler.pendingActions.map(\.date) == [4, 4, 9])
    #expect(scheduler.pendingActions.map(\.interval) == [6, nil, nil])
    #expect(scheduler.pendingActions.map(\.sequence) == [1, 3, 0])
  }

  @Test func `a repeating timer keeps its number`() {
    scheduler.schedule {}
    timers.next = scheduler.schedule(after: 0, interval: 2) {}
    scheduler.advance(by: 5)
    #expect(scheduler.pendingActions.map(\.sequence) == [1])
    #expect(scheduler.pendingActions.map(\.date) == [6])
  }

  @Test func `during its own tick, a timer is pending for the next one`() {
    var seen: [VirtualTimeType] = []
    timers.next = scheduler.schedule(after: 1, interval: 2) { seen += scheduler.pendingActions.map(\.date) }
    scheduler.advance(by: 1)
    #expect(seen == [3])
  }

  @Test func `assertIdle reports nothing on an idle scheduler`() {
    scheduler.after(1) {}
    scheduler.advance(by: 1)
    #expect(messages { scheduler.assertIdle() }.isEmpty)
  }

  @Test func `assertIdle reports actions that are still armed`() {
    scheduler.after(9) {}
    timers.next = scheduler.schedule(after: 4, interval: 6) {}
    let line = #line - 1
    #expect(
      messages { scheduler.assertIdle() } == [
        """
        2 actions are still pending, at 0 s:
        - number 1, at 4 ns, every 6 ns, armed at TestSchedulerPendingTests.swift:\(line)
        - number 0, at 9 ns
        """
      ])
  }

  @Test func `an armed timer is reported with the line that created it, also through an erased scheduler`() {
    let erased = scheduler.eraseToAnyScheduler()
    let ticks = erased.timerPublisher(every: 2).autoconnect().sink { _ in }
    let line = #line - 1
    let sequence = erased.timer(interval: 3).makeAsyncIterator()
    scheduler.after(9) {}
    let file = "TestSchedulerPendingTests.swift"
    #expect(
      messages { scheduler.assertIdle() } == [
        """
        3 actions are still pending, at 0 s:
        - number 0, at 2 ns, every 2 ns, armed at \(file):\(line)
        - number 1, at 3 ns, every 3 ns, armed at \(file):\(line + 2)
        - number 2, at 9 ns
        """
      ])
    scheduler.advance(by: 8)
    #expect(scheduler.pendingActions.map(\.armedAt) == ["\(file):\(line + 2)", nil, "\(file):\(line)"])
    withExtendedLifetime((ticks, sequence)) {}
  }

  @Test func `source locations of released timers are removed`() {
    for _ in 0..<1000 { scheduler.timerPublisher(every: 2).autoconnect().sink { _ in }.cancel() }
    #expect(scheduler.keptCounts.lines <= 33)
  }

  @Test func `the report lists at most ten of many armed actions`() throws {
    for date in 0..<12 { scheduler.after(.init(date)) {} }
    let message = try #require(messages { scheduler.assertIdle() }.first)
    #expect(message.hasPrefix("12 actions are still pending, at 0 s:\n- number 0, at 0 s\n"))
    #expect(message.hasSuffix("\n- number 9, at 9 ns\n- and more"))
  }
}
