import Dispatch
import Synchronization
import Testing

@testable import Streams

// `@testable`: the lock by itself, under threads: each stream hides it behind a gate.

private final class Counter: Locked<Int>, @unchecked Sendable {
  init() { super.init(0) }
}

@Suite(.ownThread)
struct LockedTests {
  @Test func `returns the result of the transition`() {
    let counter = Counter()
    let result = counter.withLock { state in
      state = 2
      return "two"
    }

    #expect(result == "two")
    #expect(counter.withLock { $0 } == 2)
  }

  @Test func `loses no change of many threads`() {
    let counter = Counter()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20_000 { counter.withLock { $0 += 1 } }
    }

    #expect(counter.withLock { $0 } == 160_000)
  }

  @Test func `suspends threads that find it locked, and wakes them`() {
    let counter = Counter()
    let waiting = DispatchGroup()
    let isHeld = DispatchSemaphore(value: 0)
    let mayRelease = DispatchSemaphore(value: 0)
    DispatchQueue(label: "holder").async(group: waiting) {
      counter.withLock { state in
        isHeld.signal()
        mayRelease.wait()
        state += 1
      }
    }
    isHeld.wait()
    for number in 0..<3 {
      DispatchQueue(label: "competitor \(number)").async(group: waiting) { counter.withLock { $0 += 1 } }
    }
    // The lock's word shows that a thread sleeps or is about to.
    while counter.word.load(ordering: .relaxed) != LockWord.contended {}
    mayRelease.signal()

    #expect(waiting.wait(timeout: .hang) == .success)
    #expect(counter.withLock { $0 } == 4)
    #expect(counter.word.load(ordering: .relaxed) == LockWord.free)
  }

  @Test func `keeps locks separate whose threads sleep in the same place`() {
    // More locks than sleeping places, with contention for each.
    let counters = (0..<100).map { _ in Counter() }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<100 {
        for counter in counters { counter.withLock { $0 += 1 } }
      }
    }

    #expect(counters.allSatisfy { $0.withLock { $0 } == 400 })
  }
}
