import Dispatch
import StreamSchedulers
import Streams
import Synchronization
import Testing

struct TestSchedulerConcurrencyTests {
  let scheduler = VirtualScheduler()

  @Test func `actions scheduled from several threads during an advance run exactly once each`() {
    let count = Atomic(0)
    let sum = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<2000 {
        if thread == 0 {
          scheduler.advance(by: 1)
        } else {
          scheduler.schedule(after: .init(number)) {
            count.add(1, ordering: .relaxed)
            sum.add(number, ordering: .relaxed)
          }
        }
      }
    }
    scheduler.run()
    #expect(count.load(ordering: .relaxed) == 6000)
    #expect(sum.load(ordering: .relaxed) == 3 * (0..<2000).reduce(0, +))
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `actions cancelled from other threads during an advance run at most once`() {
    let counters = (0..<4).map { _ in (0..<1000).map { _ in Counter() } }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for counter in counters[thread] {
        guard thread > 0 else {
          scheduler.advance(by: 1)
          continue
        }
        let armed = scheduler.once(scheduler.now.advanced(by: 1)) { counter.add() }
        if counter.value == 0 { armed.cancel() }
      }
    }
    #expect(scheduler.pendingCount == 0)
    scheduler.run()
    #expect(counters.joined().allSatisfy { $0.value <= 1 })
  }

  @Test func `timers started and cancelled from several threads during an advance leave nothing scheduled`() {
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for _ in 0..<500 {
        if thread == 0 {
          scheduler.advance(by: 3)
        } else {
          let timers = (1...3).map { scheduler.schedule(after: scheduler.now, interval: .init($0)) {} }
          for timer in timers { timer.cancel() }
        }
      }
    }
    #expect(scheduler.pendingCount == 0)
    #expect(scheduler.nextDate == nil)
    #expect(scheduler.pendingActions.isEmpty)
  }

  @Test func `concurrent advances run every action exactly once, and time never goes back`() {
    let count = Counter()
    for date in 1...4000 { scheduler.after(.init(date)) { count.add() } }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      var last = scheduler.now
      for _ in 0..<1000 {
        scheduler.advance(by: 1)
        let now = scheduler.now
        #expect(now >= last)
        last = now
      }
    }
    scheduler.run()
    #expect(count.value == 4000)
  }

  @Test func `a scheduler can be sent to another task`() async {
    let scheduler = scheduler
    await Task { scheduler.advance(by: 5) }.value
    #expect(scheduler.now == 5)
  }
}

private final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add() { count.add(1, ordering: .relaxed) }
}
