import Dispatch
import StreamSchedulers
import Streams
import Testing

struct TestSchedulerTimeTests {
  let timers = Timers()
  let scheduler = VirtualScheduler()

  @Test func `now is the date of the action that runs`() {
    var seen: [VirtualTimeType] = []
    for date: VirtualTimeType in [3, 8] { scheduler.after(date) { seen.append(scheduler.now) } }
    scheduler.advance(by: 10)
    #expect(seen == [3, 8])
  }

  @Test func `now is the target after an advance`() {
    scheduler.after(3) {}
    scheduler.advance(by: 10)
    #expect(scheduler.now == 10)
    scheduler.advance(to: 12)
    #expect(scheduler.now == 12)
  }

  @Test func `actions due at the target run, and later actions stay pending`() {
    var ran: [Int] = []
    for date in [4, 5, 6] { scheduler.after(.init(date)) { ran.append(date) } }
    scheduler.advance(to: 5)
    #expect(ran == [4, 5])
  }

  @Test func `work that an action schedules up to the target runs in the same call`() {
    var seen: [VirtualTimeType] = []
    scheduler.after(1) {
      scheduler.after(scheduler.now.advanced(by: 1)) {
        seen.append(scheduler.now)
        scheduler.after(9) { seen.append(scheduler.now) }
      }
    }
    scheduler.advance(by: 5)
    #expect(seen == [2])
  }

  @Test func `advance without an argument runs actions that are due now, including those they schedule for now`() {
    var ran: [String] = []
    scheduler.schedule {
      ran.append("now")
      scheduler.schedule { ran.append("nested") }
    }
    scheduler.after(1) { ran.append("later") }
    scheduler.advance()
    #expect(ran == ["now", "nested"])
    #expect(scheduler.now == 0)
  }

  @Test func `step runs exactly one action and advances time to its date`() {
    var ran = ""
    scheduler.after(4) { ran += "a" }
    scheduler.after(4) { ran += "b" }
    #expect(scheduler.step())
    #expect(ran == "a")
    #expect(scheduler.now == 4)
  }

  @Test func `step without pending actions changes nothing`() {
    #expect(!scheduler.step())
    #expect(scheduler.now == 0)
  }

  @Test func `step skips cancelled actions`() {
    var ran = ""
    scheduler.once(1) { ran += "a" }.cancel()
    scheduler.after(2) { ran += "b" }
    scheduler.step()
    #expect(ran == "b")
    #expect(scheduler.now == 2)
  }

  @Test func `work for the past runs now, and time does not go back`() {
    scheduler.advance(to: 10)
    var seen: [VirtualTimeType] = []
    scheduler.after(3) { seen.append(scheduler.now) }
    #expect(scheduler.nextDate == 10)
    scheduler.advance()
    #expect(seen == [10])
    #expect(scheduler.now == 10)
  }

  @Test func `a timer with a start in the past starts now and keeps its interval`() {
    scheduler.advance(to: 10)
    var seen: [VirtualTimeType] = []
    timers.next = scheduler.schedule(after: 3, interval: 4) { seen.append(scheduler.now) }
    scheduler.advance(by: 9)
    #expect(seen == [10, 14, 18])
  }

  @Test func `work for the past runs after actions that are already due`() {
    scheduler.advance(to: 10)
    var ran = ""
    scheduler.after(10) { ran += "a" }
    scheduler.after(3) { ran += "b" }
    scheduler.advance()
    #expect(ran == "ab")
  }

  @Test func `an advance inside an action takes effect immediately`() {
    var seen: [String] = []
    scheduler.after(4) { seen.append("4 at \(scheduler.now)") }
    scheduler.after(1) {
      scheduler.advance(by: 5)
      seen.append("inner ended at \(scheduler.now)")
    }
    scheduler.advance(by: 3)
    #expect(seen == ["4 at 4", "inner ended at 6"])
    #expect(scheduler.now == 6)
  }

  @Test func `after an advance inside an action, the outer advance continues to its own target`() {
    var seen: [VirtualTimeType] = []
    scheduler.after(1) { scheduler.advance(by: 2) }
    for date: VirtualTimeType in [2, 5, 9] { scheduler.after(date) { seen.append(scheduler.now) } }
    scheduler.advance(to: 6)
    #expect(seen == [2, 5])
    #expect(scheduler.now == 6)
  }

  @Test func `a timer that advances time during its own tick still ticks at each of its dates`() {
    var seen: [VirtualTimeType] = []
    var depth = 0
    timers.next = scheduler.schedule(after: 1, interval: 1) {
      seen.append(scheduler.now)
      guard depth == 0 else { return }
      depth += 1
      scheduler.advance(by: 2)
      depth -= 1
    }
    scheduler.advance(to: 4)
    #expect(seen == [1, 2, 3, 4, 5, 6])
    #expect(scheduler.now == 6)
  }

  @Test func `run continues until no action is pending, and time stays at the last date`() {
    var ran: [Int] = []
    scheduler.after(5) {
      ran.append(5)
      scheduler.after(50) { ran.append(50) }
    }
    scheduler.run()
    #expect(ran == [5, 50])
    #expect(scheduler.now == 50)
  }

  @Test func `run returns when an action cancels the last timer`() {
    var timer: (any Cancellable)?
    var count = 0
    timer = scheduler.schedule(after: 1, interval: 1) {
      count += 1
      if count == 3 { timer?.cancel() }
    }
    scheduler.run()
    #expect(count == 3)
    #expect(scheduler.now == 3)
  }

  @Test func `the dates of a timer do not drift`() {
    var seen: [VirtualTimeType] = []
    timers.next = scheduler.schedule(after: 5, interval: 3) { seen.append(scheduler.now) }
    scheduler.advance(by: 6)
    scheduler.advance(by: 1)
    scheduler.advance(by: 7)
    #expect(seen == [5, 8, 11, 14])
  }

  @Test func `a scheduler starts at the given date`() {
    #expect(VirtualScheduler(now: 42).now == 42)
  }

  @Test func `virtual time ignores tolerances`() {
    var seen: [VirtualTimeType] = []
    scheduler.schedule(after: 3, tolerance: 100) { seen.append(scheduler.now) }
    scheduler.advance(by: 200)
    #expect(seen == [3])
    #expect(scheduler.minimumTolerance == 0)
  }

  @Test func `time can be advanced from an asynchronous context`() async {
    var ran = 0
    scheduler.schedule { ran += 1 }
    await scheduler.advance()
    scheduler.after(1) { ran += 1 }
    scheduler.step()
    scheduler.after(2) { ran += 1 }
    await scheduler.run()
    #expect(ran == 3)
  }

  @Test func `time stops at its maximum without overflow`() {
    var ran = 0
    scheduler.after(.init(.max)) { ran += 1 }
    scheduler.advance(to: .init(.max))
    scheduler.advance(by: .init(.max))
    #expect(ran == 1)
  }

  @Test func `a test scheduler has the time and options types of its scheduler`() {
    #expect(TestSchedulerOf<VirtualScheduler>.self == VirtualScheduler.self)
  }

  @Test func `a repeating action that takes the place of a cancelled one repeats at its own interval`() {
    let scheduler = DispatchQueue.test
    func start(every interval: Int, _ action: @escaping () -> Void) -> any Cancellable {
      scheduler.schedule(
        after: scheduler.now.advanced(by: .milliseconds(interval)), interval: .milliseconds(interval), action)
    }
    start(every: 10) {}.cancel()
    var times: [Int] = []
    let cancellable = start(every: 25) { times.append(scheduler.elapsed.nanoseconds / 1_000_000) }
    scheduler.advance(by: .milliseconds(80))
    cancellable.cancel()
    #expect(times == [25, 50, 75])
  }
}
