import StreamSchedulers
import Streams
import Testing

struct TestSchedulerBudgetTests {
  let timers = Timers()
  let scheduler = VirtualScheduler()

  @Test func `the default limits are a million actions per call and a hundred thousand per instant`() {
    #expect(scheduler.maximumActions == 1_000_000)
    #expect(scheduler.maximumActionsPerInstant == 100_000)
  }

  @Test func `run with a live timer returns and reports the timer`() {
    scheduler.maximumActions = 1000
    var count = 0
    timers.next = scheduler.schedule(after: 1, interval: 3) { count += 1 }
    let reported = messages { scheduler.run() }
    #expect(
      reported == [
        """
        Time stopped at 2998 ns after 1000 actions in one call, because more are due. The busiest actions:
        - an action every 3 ns, run 1000 times, from 1 ns to 2998 ns
        """
      ])
    #expect(count == 1000)
    #expect(scheduler.now == 2998)
  }

  @Test func `work that reschedules itself for now without end is reported, and the call returns`() {
    scheduler.maximumActionsPerInstant = 100
    scheduler.advance(to: 7)
    func again() { scheduler.schedule(again) }
    again()
    let reported = messages { scheduler.advance(by: 10) }
    #expect(
      reported == [
        """
        Time stopped at 7 ns after 100 actions at that instant, because more are due. The busiest actions:
        - actions without an interval, run 100 times, at 7 ns
        """
      ])
    #expect(scheduler.now == 7)
    #expect(scheduler.pendingCount == 1)
  }

  @Test func `the default limit per instant ends an endless loop`() {
    var count = 0
    func again() {
      count += 1
      scheduler.schedule(again)
    }
    again()
    let reported = messages { scheduler.advance() }
    #expect(reported.count == 1)
    #expect(count == 100_001)
  }

  @Test func `the report lists the busiest actions first, each with its interval, dates and count`() {
    scheduler.maximumActions = 40
    timers.next = scheduler.schedule(after: 5, interval: 10) {}
    timers.next = scheduler.schedule(after: 1, interval: 1) {}
    scheduler.after(2) {}
    scheduler.after(3) {}
    let reported = messages { scheduler.advance(by: 1000) }
    #expect(
      reported == [
        """
        Time stopped at 35 ns after 40 actions in one call, because more are due. The busiest actions:
        - an action every 1 ns, run 34 times, from 1 ns to 34 ns
        - an action every 10 ns, run 4 times, from 5 ns to 35 ns
        - actions without an interval, run 2 times, from 2 ns to 3 ns
        """
      ])
  }

  @Test func `actions that ran in an earlier call are not counted`() {
    scheduler.maximumActions = 10
    timers.next = scheduler.schedule(after: 1, interval: 1) {}
    scheduler.after(2) {}
    scheduler.advance(by: 5)
    let reported = messages { scheduler.run() }
    #expect(
      reported == [
        """
        Time stopped at 15 ns after 10 actions in one call, because more are due. The busiest actions:
        - an action every 1 ns, run 10 times, from 6 ns to 15 ns
        """
      ])
  }

  @Test func `the count for an instant excludes actions that ran before it`() {
    scheduler.maximumActionsPerInstant = 10
    timers.next = scheduler.schedule(after: 1, interval: 1) {}
    scheduler.after(50) {
      func again() { scheduler.schedule(again) }
      again()
    }
    let reported = messages { scheduler.advance(by: 100) }
    #expect(
      reported == [
        """
        Time stopped at 50 ns after 10 actions at that instant, because more are due. The busiest actions:
        - actions without an interval, run 9 times, at 50 ns
        - an action every 1 ns, run 1 times, at 50 ns
        """
      ])
  }

  @Test func `exactly as many actions as the limit allows are not reported`() {
    scheduler.maximumActions = 10
    scheduler.maximumActionsPerInstant = 10
    var count = 0
    for _ in 0..<10 { scheduler.schedule { count += 1 } }
    #expect(messages { scheduler.run() }.isEmpty)
    #expect(count == 10)
  }

  @Test func `each call starts with the full budget`() {
    scheduler.maximumActions = 10
    scheduler.maximumActionsPerInstant = 10
    var count = 0
    let reported = messages {
      for _ in 0..<5 {
        for _ in 0..<10 { scheduler.schedule { count += 1 } }
        scheduler.advance()
      }
    }
    #expect(reported.isEmpty)
    #expect(count == 50)
  }

  @Test func `another call continues after one that the limit stopped`() {
    scheduler.maximumActions = 10
    var count = 0
    for date in 1...15 { scheduler.after(.init(date)) { count += 1 } }
    #expect(messages { scheduler.advance(to: 20) }.count == 1)
    #expect(count == 10)
    #expect(scheduler.now == 10)
    #expect(messages { scheduler.advance(to: 20) }.isEmpty)
    #expect(count == 15)
    #expect(scheduler.now == 20)
  }

  @Test func `nested calls share the budget of the outermost call, and it is reported once`() {
    scheduler.maximumActions = 10
    var count = 0
    func again() {
      count += 1
      scheduler.after(scheduler.now.advanced(by: 1), again)
      scheduler.advance(by: 1)
    }
    scheduler.schedule(again)
    #expect(messages { scheduler.run() }.count == 1)
    #expect(count == 10)
    #expect(scheduler.pendingCount == 1)
  }

  @Test func `a timer at the end of time is stopped by the limit per instant`() {
    scheduler.maximumActionsPerInstant = 10
    timers.next = scheduler.schedule(after: .init(.max - 1), interval: 1) {}
    let reported = messages { scheduler.advance(to: .init(.max)) }
    #expect(reported.count == 1)
  }
}
