import StreamSchedulers
import Streams
import Testing

struct TestSchedulerCancellationTests {
  let scheduler = VirtualScheduler()

  @Test func `a cancelled one-shot action is removed, and run does not advance to its date`() {
    var ran = false
    let delay = scheduler.once(3600) { ran = true }
    scheduler.after(1) {}
    delay.cancel()
    #expect(scheduler.pendingCount == 1)
    scheduler.run()
    #expect(!ran)
    #expect(scheduler.now == 1)
  }

  @Test func `a cancelled timer does not tick again`() {
    var count = 0
    let timer = scheduler.schedule(after: 1, interval: 1) { count += 1 }
    scheduler.advance(by: 3)
    timer.cancel()
    scheduler.advance(by: 3)
    #expect(count == 3)
  }

  @Test func `a timer can be cancelled during its own tick`() {
    var count = 0
    var timer: (any Cancellable)?
    timer = scheduler.schedule(after: 1, interval: 1) {
      count += 1
      timer?.cancel()
    }
    scheduler.advance(by: 5)
    #expect(count == 1)
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `an action can cancel a later one with the same date`() {
    var ran = ""
    var second: (any Cancellable)?
    scheduler.after(1) {
      ran += "a"
      second?.cancel()
    }
    second = scheduler.once(1) { ran += "b" }
    scheduler.advance(by: 1)
    #expect(ran == "a")
  }

  @Test func `releasing a timer's cancellable cancels the timer, as on a live queue`() {
    var (count, other) = (0, 0)
    _ = scheduler.schedule(after: 1, interval: 1) { count += 1 }
    let timer = scheduler.schedule(after: 1, interval: 1) { other += 1 }
    scheduler.advance(by: 3)
    #expect(count == 0)
    #expect(other == 3)
    timer.cancel()
  }

  @Test func `releasing a one-shot action's cancellable does not cancel the action`() {
    var ran = false
    _ = scheduler.once(1) { ran = true }
    scheduler.advance(by: 1)
    #expect(ran)
  }

  @Test func `cancelling again, or after the action has run, does not affect later actions`() {
    var ran = ""
    let first = scheduler.once(1) { ran += "a" }
    let second = scheduler.once(1) { ran += "b" }
    first.cancel()
    scheduler.after(2) { ran += "c" }
    first.cancel()
    scheduler.advance(by: 1)
    scheduler.after(2) { ran += "d" }
    second.cancel()
    first.cancel()
    scheduler.advance(by: 1)
    #expect(ran == "bcd")
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `cancellation releases a one-shot action immediately`() {
    weak var captured: OnDeinit?
    let armed: any Cancellable
    do {
      let object = OnDeinit {}
      captured = object
      armed = scheduler.once(1) { object.touch() }
    }
    #expect(captured != nil)
    armed.cancel()
    #expect(captured == nil)
  }

  @Test func `cancellation releases a timer's action immediately`() {
    weak var captured: OnDeinit?
    let timer: any Cancellable
    do {
      let object = OnDeinit {}
      captured = object
      timer = scheduler.schedule(after: 1, interval: 1) { object.touch() }
    }
    scheduler.advance(by: 2)
    #expect(captured != nil)
    timer.cancel()
    #expect(captured == nil)
  }

  @Test func `an action that has run is released while its cancellable is retained`() {
    weak var captured: OnDeinit?
    var hasRun = false
    let armed: any Cancellable
    do {
      let object = OnDeinit {}
      captured = object
      armed = scheduler.once(1) {
        object.touch()
        hasRun = true
      }
    }
    scheduler.advance(by: 1)
    #expect(hasRun)
    #expect(captured == nil)
    armed.cancel()
  }

  @Test func `dates of cancelled actions do not accumulate`() {
    var timers: [any Cancellable] = []
    for date in 0..<10 { timers.append(scheduler.schedule(after: .init(date), interval: 1) {}) }
    for date in 0..<10_000 {
      scheduler.once(.init(1_000_000 + date)) {}.cancel()
      #expect(scheduler.keptCounts.dates < 100)
    }
    #expect(scheduler.pendingCount == 10)
  }

  @Test func `the state of cancelled timers does not accumulate`() {
    for date in 0..<10_000 {
      scheduler.schedule(after: .init(date), interval: 1) {}.cancel()
      #expect(scheduler.keptCounts < (100, 2, 2, 2))
    }
    #expect(scheduler.keptCounts.cells == 1)
    #expect(scheduler.keptCounts.repetitions == 1)
  }

  @Test func `a scheduler with a live timer is released`() {
    weak var released: VirtualScheduler?
    weak var captured: OnDeinit?
    var count = 0
    let timer: any Cancellable
    do {
      let scheduler = VirtualScheduler()
      released = scheduler
      let object = OnDeinit {}
      captured = object
      timer = scheduler.schedule(after: 1, interval: 1) {
        object.touch()
        count += 1
      }
      scheduler.advance(by: 3)
    }
    #expect(count == 3)
    #expect(released == nil)
    #expect(captured == nil)
    timer.cancel()
  }

  @Test func `actions that retain their own cancellables are released with the scheduler`() {
    final class Holder { var armed: [any Cancellable] = [] }
    weak var captured: Holder?
    do {
      let scheduler = VirtualScheduler()
      let holder = Holder()
      captured = holder
      holder.armed.append(scheduler.schedule(after: 1, interval: 1) { _ = holder })
      holder.armed.append(scheduler.once(1000) { _ = holder })
      scheduler.advance(by: 3)
      #expect(scheduler.pendingCount == 2)
    }
    #expect(captured == nil)
  }

  @Test func `a scheduler can be released by one of its own actions`() {
    var scheduler: VirtualScheduler? = VirtualScheduler()
    weak let released = scheduler
    var ran = ""
    scheduler?.after(1) {
      scheduler = nil
      ran += "a"
    }
    scheduler?.after(2) { ran += "b" }
    scheduler?.advance(by: 3)
    #expect(ran == "ab")
    #expect(released == nil)
  }

  @Test func `a deinitializer of an action's capture may call the scheduler`() {
    var released = ""
    var timer: (any Cancellable)?
    func probe(_ name: String) -> OnDeinit {
      OnDeinit { [unowned scheduler] in
        released += name
        _ = scheduler.now
        _ = scheduler.pendingActions
        scheduler.schedule {}
        timer?.cancel()
        scheduler.advance()
      }
    }
    timer = scheduler.schedule(after: 1, interval: 1) { [probe = probe("t")] in probe.touch() }
    scheduler.once(1) { [probe = probe("c")] in probe.touch() }.cancel()
    #expect(released == "ct")
    scheduler.after(1) { [probe = probe("r")] in probe.touch() }
    scheduler.advance(by: 1)
    #expect(released == "ctr")
  }

  @Test func `a deinitializer of an action's capture may cancel other actions while the scheduler is released`() {
    var armed: [any Cancellable] = []
    var released = 0
    do {
      let scheduler = VirtualScheduler()
      for date in 0..<3 {
        let object = OnDeinit {
          released += 1
          for one in armed { one.cancel() }
        }
        armed.append(scheduler.once(.init(date)) { object.touch() })
      }
    }
    #expect(released == 3)
  }
}
