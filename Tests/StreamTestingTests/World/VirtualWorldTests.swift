import Dispatch
import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

/// Tests of code on the main actor that starts plain tasks.
@MainActor
@Suite
struct VirtualWorldTests {
  private let scheduler = DispatchQueue.test

  @Test func `the runtime supports every hook that a world needs`() {
    #expect(TestSchedulerOf<DispatchQueue>.notCapturedByVirtualWorld == [])
  }

  @Test func `plain tasks wait until time advances`() {
    @MainActor final class Counter {
      var log: [String] = []
      func start(_ scheduler: TestSchedulerOf<DispatchQueue>) {
        Task {
          log.append("started")
          try await scheduler.sleep(for: 1)
          log.append("woken")
          let sum = await Task.detached { 1 + 1 }.value
          log.append("sum \(sum)")
        }
      }
    }
    scheduler.withVirtualWorld {
      let counter = Counter()
      counter.start(scheduler)
      #expect(counter.log == [])
      scheduler.advance()
      #expect(counter.log == ["started"])
      scheduler.advance(by: 1)
      #expect(counter.log == ["started", "woken", "sum 2"])
      scheduler.assertIdle()
    }
  }

  @Test func `tasks may capture local variables by reference`() {
    scheduler.withVirtualWorld {
      var count = 0
      Task { count += 1 }
      Task { @MainActor in count += 1 }
      #expect(count == 0)
      scheduler.advance()
      #expect(count == 2)
    }
  }

  @Test func `detached tasks, groups, actors and yields belong to the world`() {
    actor Store {
      private(set) var values: [Int] = []
      func add(_ value: Int) { values.append(value) }
    }
    let store = Store()
    var seen: [Int] = []
    scheduler.withVirtualWorld {
      Task {
        await withTaskGroup(of: Void.self) { group in
          for number in 1...3 {
            group.addTask {
              await Task.yield()
              try? await scheduler.sleep(for: .seconds(4 - number))
              await store.add(number)
            }
          }
        }
        Task.detached {
          await Task.yield()
          await store.add(9)
          await MainActor.run { MainActor.assertIsolated() }
          Task { await store.add(10) }
        }
        try await scheduler.sleep(for: 1)
        seen = await store.values
      }
      scheduler.advance(by: 4)
    }
    #expect(seen == [3, 2, 1, 9, 10])
    #expect(scheduler.foreignEnqueueCount == 0)
  }

  @Test func `a task that yields after an actor call stays in the world`() {
    actor Bystander { func stand() {} }
    let bystander = Bystander()
    let log = Log<Int>()
    scheduler.withVirtualWorld {
      for number in 0..<20 {
        Task.detached {
          await Task.yield()
          await bystander.stand()
          await Task.yield()
          log.append(number)
        }
      }
      scheduler.advance()
      #expect(log.all.sorted() == Array(0..<20))
    }
    #expect(scheduler.foreignEnqueueCount == 0)
  }

  @Test func `main-actor isolation checks pass before and after suspensions`() {
    scheduler.withVirtualWorld {
      MainActor.assertIsolated()
      var count = 0
      Task {
        assumeMain { count += 1 }
        await Task.detached {}.value
        assumeMain { count += 1 }
        try await scheduler.sleep(for: 1)
        assumeMain { count += 1 }
      }
      scheduler.advance(by: 1)
      #expect(count == 3)
      MainActor.assertIsolated()
    }
  }

  @Test(.exits) func `main-actor isolation checks stop the program in a detached task`() async {
    await #expect(processExitsWith: .failure) {
      await MainActor.run {
        let scheduler = DispatchQueue.test
        scheduler.withVirtualWorld {
          Task.detached { assumeMain {} }
          scheduler.advance()
        }
      }
    }
  }

  @Test func `runVirtualWorld drives an asynchronous body to completion`() throws {
    let elapsed = try scheduler.runVirtualWorld {
      var log: [String] = []
      Task {
        try await scheduler.sleep(for: 2)
        log.append("two")
      }
      await scheduler.advance(by: 1)
      #expect(log == [])
      await scheduler.advance(by: 1)
      #expect(log == ["two"])
      try await scheduler.sleep(for: 3600)
      return scheduler.elapsed
    }
    #expect(elapsed == 3602)
  }

  @Test func `runVirtualWorld throws Deadlock for a body that cannot make progress`() {
    #expect(throws: Deadlock.self) {
      try scheduler.runVirtualWorld {
        let (never, _) = AsyncStream.makeStream(of: Int.self)
        for await _ in never {}
      }
    }
  }

  @Test func `a task that another thread resumes returns to the main actor of the world`() throws {
    let queue = DispatchQueue(label: "other")
    let value = try scheduler.runVirtualWorld(allowingExternalEvents: patience) {
      let value = await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: 7) } }
      MainActor.assertIsolated()
      return value
    }
    #expect(value == 7)
  }

  @Test func `a main-actor task that outlives its world continues on the real main actor`() async {
    let log = Log<String>()
    do {
      let scheduler = DispatchQueue.test
      scheduler.withVirtualWorld {
        Task {
          MainActor.assertIsolated()
          log.append("main")
          await Task.detached { log.append("detached") }.value
          MainActor.assertIsolated()
          log.append("back")
        }
      }
    }
    #expect(await log.first(3) == ["main", "detached", "back"])
  }

  @Test func `tasks outside a world run as usual`() async {
    scheduler.withVirtualWorld {}
    let log = Log<String>()
    Task {
      assumeMain { log.append("main") }
      await Task.detached { log.append("detached") }.value
    }
    #expect(await log.first(2) == ["main", "detached"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `worlds can run one after another and can be nested`() {
    var log: [String] = []
    for round in 1...3 {
      DispatchQueue.test.withVirtualWorld { Task { log.append("never \(round)") } }
    }
    scheduler.withVirtualWorld {
      let inner = DispatchQueue.test
      inner.withVirtualWorld {
        Task { log.append("inner") }
        inner.advance()
      }
      Task { log.append("outer") }
      scheduler.advance()
    }
    #expect(log.filter { !$0.hasPrefix("never") } == ["inner", "outer"])
  }
}

/// Stops the program unless the caller is on the main actor.
private nonisolated func assumeMain(_ body: @MainActor () -> Void) { MainActor.assumeIsolated(body) }

extension VirtualWorldTests {
  @Test func `actors called from other threads stay outside the world`() {
    actor Inside { func stand() {} }
    actor Outside {
      let log: Log<Int>
      init(_ log: Log<Int>) { self.log = log }
      func append() async {
        log.append(1)
        await Task.yield()
      }
    }
    let (inside, log) = (Inside(), Log<Int>())
    let outside = Outside(log)
    let isDone = DispatchSemaphore(value: 0)
    scheduler.withVirtualWorld {
      // Lets the world see jobs of an actor, which have no number.
      for _ in 0..<10 { Task.detached { await inside.stand() } }
      scheduler.advance()
      Thread.detachNewThread {
        Task.detached {
          await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { await outside.append() } }
          }
          isDone.signal()
        }
      }
      // The task ends although time does not advance.
      #expect(isDone.wait(timeout: .hang) == .success)
    }
    #expect(log.all.count == 100)
    #expect(scheduler.pendingCount == 0)
  }
}
