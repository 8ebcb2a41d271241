import Dispatch
import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Nested worlds: each task stays in the world in which it was started.
@MainActor
@Suite
struct NestedWorldTests {
  private let outer = DispatchQueue.test
  private let inner = DispatchQueue.test
  private let log = Log<String>()

  @Test func `advancing the outer scheduler in the inner world runs main-actor tasks of the outer world`() {
    outer.withVirtualWorld {
      Task {
        log.append("started")
        try await outer.sleep(for: 1)
        MainActor.assertIsolated()
        log.append("woken")
      }
      inner.withVirtualWorld {
        outer.advance()
        #expect(log.all == ["started"])
        outer.advance(by: 1)
        #expect(log.all == ["started", "woken"])
      }
    }
    #expect(outer.foreignEnqueueCount == 0)
  }

  @Test func `a detached task of the outer world returns there when another thread resumes it in the inner world`() {
    let (here, gate) = (pthread_self(), Gate())
    outer.withVirtualWorld {
      Task.detached {
        await gate.wait()
        log.append(isThread(here) ? "here" : "elsewhere")
      }
      outer.advance()
      inner.withVirtualWorld {
        gate.openOnAnotherThread()
        #expect(outer.pendingCount == 1)
        #expect(log.all == [])
        outer.advance()
        #expect(log.all == ["here"])
      }
    }
    #expect(outer.foreignEnqueueCount == 1)
    #expect(inner.foreignEnqueueCount == 0)
  }

  @Test func `a main-actor task of the outer world returns there when another thread resumes it in the inner world`() {
    let gate = Gate()
    outer.withVirtualWorld {
      Task {
        await gate.wait()
        MainActor.assertIsolated()
        log.append("back")
      }
      outer.advance()
      inner.withVirtualWorld {
        gate.openOnAnotherThread()
        inner.advance()
        #expect(log.all == [])
        outer.advance()
        #expect(log.all == ["back"])
      }
    }
    #expect(outer.foreignEnqueueCount == 1)
    #expect(inner.foreignEnqueueCount == 0)
  }

  @Test func `tasks that the inner world resumes continue in their own world`() {
    let gates = [Gate(), Gate()]
    outer.withVirtualWorld {
      Task {
        await gates[0].wait()
        log.append("main")
      }
      Task.detached {
        await gates[1].wait()
        log.append("detached")
      }
      outer.advance()
      inner.withVirtualWorld {
        Task { for gate in gates { gate.open() } }
        inner.advance()
        #expect(log.all == [])
        #expect(inner.pendingCount == 0)
        outer.advance()
        #expect(log.all.sorted() == ["detached", "main"])
      }
    }
    #expect(outer.foreignEnqueueCount == 0)
  }

  @Test(arguments: [false, true])
  func `tasks that the outer timeline starts in the inner world belong to the outer world`(_ isStepped: Bool) {
    outer.withVirtualWorld {
      outer.schedule {
        Task { log.append("main") }
        Task.detached {
          await MainActor.run { log.append("by way of the main actor") }
          Task { log.append("started by a task") }
        }
      }
      inner.withVirtualWorld {
        if isStepped { while outer.step() {} } else { outer.advance() }
        #expect(log.all.sorted() == ["by way of the main actor", "main", "started by a task"])
        // Afterward, new tasks belong to the inner world again.
        Task { log.append("inner") }
        outer.advance()
        #expect(log.all.count == 3)
        inner.advance()
        #expect(log.all.last == "inner")
      }
    }
  }

  @Test func `a task of the outer world that calls an actor and yields stays there`() {
    actor Bystander { func stand() {} }
    let bystander = Bystander()
    outer.withVirtualWorld {
      for _ in 0..<10 {
        Task.detached {
          await Task.yield()
          await bystander.stand()
          await Task.yield()
          log.append("outer")
        }
      }
      inner.withVirtualWorld {
        outer.advance()
        #expect(log.all.count == 10)
        #expect(inner.pendingCount == 0)
      }
    }
    #expect(outer.foreignEnqueueCount == 0)
  }

  @Test func `an inner task that calls an actor of the outer timeline returns to the inner world`() {
    let clerk = Clerk(outer.makeSerialExecutor())
    outer.withVirtualWorld {
      inner.withVirtualWorld {
        Task {
          log.append("number \(await clerk.number())")
          MainActor.assertIsolated()
        }
        inner.advance()
        #expect((outer.pendingCount, inner.pendingCount) == (1, 0))
        outer.advance()
        #expect((outer.pendingCount, inner.pendingCount) == (0, 1))
        inner.advance()
        #expect(log.all == ["number 1"])
      }
    }
    #expect(outer.foreignEnqueueCount == 0)
    #expect(inner.foreignEnqueueCount == 0)
  }

  @Test func `a task that advances another world does not count as a foreign thread`() {
    let clerk = Clerk(outer.makeSerialExecutor())
    nonisolated func moveOn() { outer.advance() }
    outer.withVirtualWorld {
      inner.withVirtualWorld {
        Task { log.append("number \(await clerk.number())") }
        Task { moveOn() }
        inner.advance()
        #expect(log.all == ["number 1"])
      }
    }
    #expect(outer.foreignEnqueueCount == 0)
    #expect(inner.foreignEnqueueCount == 0)
  }

  @Test func `three nested worlds keep their tasks separate`() {
    let innermost = DispatchQueue.test
    let gates = (0..<3).map { _ in Gate() }
    func start(_ level: Int, _ scheduler: TestSchedulerOf<DispatchQueue>) {
      Task {
        try await scheduler.sleep(for: 1)
        log.append("main \(level)")
      }
      Task.detached {
        await gates[level].wait()
        await MainActor.run { log.append("detached \(level)") }
      }
      scheduler.advance()
    }
    let schedulers = [outer, inner, innermost]
    outer.withVirtualWorld {
      start(0, outer)
      inner.withVirtualWorld {
        start(1, inner)
        innermost.withVirtualWorld {
          start(2, innermost)
          for gate in gates { gate.openOnAnotherThread() }
          #expect(schedulers.map(\.pendingCount) == [2, 2, 2])
          for scheduler in schedulers { scheduler.advance(by: 1) }
        }
      }
    }
    #expect(log.all == (0..<3).flatMap { ["detached \($0)", "main \($0)"] })
    #expect(schedulers.map(\.foreignEnqueueCount) == [1, 1, 1])
  }

  @Test func `an inner world that throws does not affect the outer world`() {
    let gate = Gate()
    outer.withVirtualWorld {
      Task.detached {
        await gate.wait()
        log.append("outer")
      }
      outer.advance()
      #expect(throws: TestFailure.self) { try inner.withVirtualWorld { throw TestFailure() } }
      gate.openOnAnotherThread()
      Task { log.append("later") }
      #expect(outer.pendingCount == 2)
      outer.advance()
      #expect(log.all.sorted() == ["later", "outer"])
    }
  }

  @Test func `a world of the same scheduler is the same world`() {
    let gates = [Gate(), Gate()]
    outer.withVirtualWorld {
      Task {
        await gates[0].wait()
        log.append("outer")
      }
      outer.withVirtualWorld {
        Task.detached {
          await gates[1].wait()
          log.append("inner")
        }
        outer.advance()
        gates[0].openOnAnotherThread()
        #expect(outer.pendingCount == 1)
      }
      gates[1].openOnAnotherThread()
      #expect(outer.pendingCount == 2)
      outer.advance()
      #expect(log.all == ["outer", "inner"])
    }
    #expect(outer.foreignEnqueueCount == 2)
  }

  @Test func `tasks that outlive the inner world continue outside the outer world`() async {
    let (here, gates) = (pthread_self(), [Gate(), Gate()])
    let isDone = DispatchSemaphore(value: 0)
    outer.withVirtualWorld {
      inner.withVirtualWorld {
        Task.detached {
          await gates[0].wait()
          log.append(isThread(here) ? "here" : "elsewhere")
          isDone.signal()
        }
        Task {
          await gates[1].wait()
          MainActor.assertIsolated()
          log.append("main")
        }
        inner.advance()
      }
      for gate in gates { gate.open() }
      #expect(outer.pendingCount == 0)
      #expect(isDone.wait(timeout: .hang) == .success)
      // The real main actor is occupied by this test.
      #expect(log.all == ["elsewhere"])
    }
    #expect(await log.first(2) == ["elsewhere", "main"])
  }

  @Test func `a scheduler whose world is entered again still has its tasks`() {
    let gate = Gate()
    outer.withVirtualWorld {
      inner.withVirtualWorld {
        Task {
          await gate.wait()
          log.append("inner")
        }
        inner.advance()
      }
      inner.withVirtualWorld {
        gate.open()
        inner.advance()
        #expect(log.all == ["inner"])
      }
    }
  }

  @Test func `an asynchronous body in the inner world can advance the outer scheduler`() throws {
    try outer.withVirtualWorld {
      Task {
        try await outer.sleep(for: 1)
        MainActor.assertIsolated()
        log.append("outer")
      }
      try inner.runVirtualWorld {
        Task {
          try await inner.sleep(for: 1)
          log.append("inner")
        }
        await outer.advance(by: 1)
        #expect(log.all == ["outer"])
        try await inner.sleep(for: 2)
      }
      #expect(log.all == ["outer", "inner"])
    }
    #expect(outer.foreignEnqueueCount == 0)
    #expect(inner.foreignEnqueueCount == 0)
  }
}

/// A gate at which a task waits until it is opened.
private final class Gate: Sendable {
  private let waiting = Log<CheckedContinuation<Void, Never>>()

  /// Stays on the actor of the caller; otherwise it depends on the optimizer in how many jobs the caller continues.
  nonisolated(nonsending) func wait() async { await withCheckedContinuation { waiting.append($0) } }

  nonisolated func open() { for continuation in waiting.all { continuation.resume() } }

  /// Opens the gate on a thread that is in no world, and returns afterward.
  @MainActor func openOnAnotherThread() {
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      self.open()
      isDone.signal()
    }
    isDone.wait()
  }
}

private actor Clerk {
  private let executor: VirtualSerialExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var count = 0

  init(_ executor: VirtualSerialExecutor) { self.executor = executor }

  func number() -> Int {
    count += 1
    return count
  }
}

private nonisolated func isThread(_ thread: pthread_t) -> Bool { pthread_equal(pthread_self(), thread) != 0 }
