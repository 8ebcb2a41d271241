import Dispatch
import Foundation
import StreamSchedulers
import Streams
import SuiteSupport
import Testing

@testable import StreamTesting

// `@testable`: how many tasks a world keeps.

/// Tasks that meet a world in which they were not started, or which ends before they do. The scheduler lives on in all
/// of these tests, since otherwise its end would move the tasks on.
@MainActor
@Suite
struct OutsideTaskTests {
  private let scheduler = DispatchQueue.test
  private let log = Log<Int>()

  // MARK: Started elsewhere

  @Test func `a task from before the world continues outside when the world resumes it`() async {
    let subject = PassthroughSubject<Int, Never>()
    let isWaiting = Log<Int>()
    let task = Task.detached {
      for await value in subject.handleEvents(receiveRequest: { _ in isWaiting.append(1) }).values { log.append(value) }
    }
    _ = await isWaiting.first(1)
    scheduler.withVirtualWorld { subject.send(7) }
    #expect(await log.first(1) == [7])
    #expect(scheduler.pendingCount == 0)
    task.cancel()
  }

  @Test func `a task that another thread starts during the world continues outside when the world resumes it`() {
    let (gate, isWaiting, isDone) = (Gate(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    scheduler.withVirtualWorld {
      Thread.detachNewThread {
        Task.detached {
          await gate.wait { isWaiting.signal() }
          log.append(1)
          isDone.signal()
        }
      }
      isWaiting.wait()
      gate.open()
      // It ends although time does not advance.
      #expect(isDone.wait(timeout: .hang) == .success)
    }
    #expect(log.all == [1])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `a task from before the outer world stays outside of both worlds`() {
    let (gate, isWaiting, isDone) = (Gate(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Task.detached {
      await gate.wait { isWaiting.signal() }
      isDone.signal()
    }
    isWaiting.wait()
    let inner = DispatchQueue.test
    scheduler.withVirtualWorld {
      inner.withVirtualWorld {
        gate.open()
        #expect(isDone.wait(timeout: .hang) == .success)
      }
    }
    #expect(scheduler.pendingCount + inner.pendingCount == 0)
  }

  @Test func `a task of the outer world that the inner one is the first to see belongs to the outer world`() {
    let (gate, inner) = (Gate(), DispatchQueue.test)
    nonisolated func start() {
      // What runs before the suspension is no job.
      Task.immediate {
        await withCheckedContinuation { gate.keep($0) }
        log.append(1)
      }
    }
    scheduler.withVirtualWorld {
      start()
      inner.withVirtualWorld {
        gate.open()
        inner.advance()
        #expect(log.all == [])
        scheduler.advance()
        #expect(log.all == [1])
      }
    }
  }

  @Test func `a task of the timeline from before the world calls the main actor during an advance`() {
    Task(on: scheduler) {
      await MainActor.run { log.append(1) }
      log.append(2)
    }
    scheduler.withVirtualWorld { scheduler.advance() }
    #expect(log.all == [1, 2])
  }

  @Test func `a task of the timeline that has advanced another one still calls the main actor during an advance`() {
    let other = DispatchQueue.test
    nonisolated func moveOn() { other.advance() }
    Task(on: other) { log.append(0) }
    Task(on: scheduler) {
      moveOn()
      await MainActor.run { log.append(1) }
      log.append(2)
    }
    scheduler.withVirtualWorld { scheduler.advance() }
    #expect(log.all == [0, 1, 2])
  }

  @Test func `a task outside receives the values of every explored run`() async {
    let subject = PassthroughSubject<Int, Never>()
    let isWaiting = Log<Int>()
    let task = Task.detached {
      for await value in subject.handleEvents(receiveRequest: { _ in isWaiting.append(1) }).values { log.append(value) }
    }
    for run in 1...5 {
      _ = await isWaiting.first(run)
      explore(runs: 1, seed: UInt64(run)) { order in
        MainActor.assumeIsolated { DispatchQueue.test(order: order).withVirtualWorld { subject.send(run) } }
      }
    }
    #expect(await log.first(5) == [1, 2, 3, 4, 5])
    task.cancel()
  }

  // MARK: Awaited afterward

  @Test func `tasks whose world has ended before they began are not held back`() async {
    let (plain, detached) = scheduler.withVirtualWorld {
      (
        Task {
          MainActor.assertIsolated()
          return 1
        },
        Task.detached {
          await Task.yield()
          return 2
        }
      )
    }
    #expect(scheduler.pendingCount == 0)
    #expect(await plain.value + detached.value == 3)
  }

  @Test func `tasks that yield when their world ends are not held back`() async {
    let task = scheduler.withVirtualWorld {
      let task = Task.detached {
        for _ in 0..<5 { await Task.yield() }
        return 1
      }
      for _ in 0..<3 { scheduler.step() }
      return task
    }
    #expect(await task.value == 1)
  }

  @Test func `a task that sleeps when its world ends continues when time is advanced`() async {
    scheduler.withVirtualWorld {
      Task {
        try await scheduler.sleep(for: 1)
        MainActor.assertIsolated()
        log.append(1)
      }
      scheduler.advance()
    }
    #expect(scheduler.pendingCount == 1)
    await scheduler.advance(by: 1)
    #expect(await log.first(1) == [1])
  }

  @Test func `tasks that a body leaves behind are not held back`() async throws {
    let task = try scheduler.runVirtualWorld { Task { 1 } }
    #expect(await task.value == 1)
  }

  @Test func `an actor that a world has made work is not held back`() async {
    actor Keeper {
      private(set) var values: [Int] = []
      private var cancellables: Set<AnyCancellable> = []

      func sink(_ publisher: some Publisher<Int, Never>) {
        publisher.sink { self.values.append($0) }.store(in: &cancellables)
      }
    }
    let (subject, keeper) = (PassthroughSubject<Int, Never>(), Keeper())
    await keeper.sink(subject)
    scheduler.withVirtualWorld { subject.send(1) }
    // The actor runs its jobs one after the other, so it would never run this one.
    #expect(await keeper.values == [1])
  }

  @Test func `an actor's job of an inner world is not handed over to the outer one`() {
    actor Keeper { func keep(_ action: @Sendable () -> Void) { action() } }
    let (keeper, inner, isDone) = (Keeper(), DispatchQueue.test, DispatchSemaphore(value: 0))
    scheduler.withVirtualWorld {
      inner.withVirtualWorld {
        Task.detached { await keeper.keep { isDone.signal() } }
        inner.step()
      }
      #expect(isDone.wait(timeout: .hang) == .success)
      #expect(scheduler.pendingCount == 0)
    }
  }

  @Test func `work of the scheduler, and tasks started on it, wait for it when a world ends`() {
    scheduler.withVirtualWorld {
      scheduler.schedule { log.append(1) }
      Task(on: scheduler) {
        await Task.yield()
        log.append(2)
      }
    }
    #expect(scheduler.pendingCount == 2)
    scheduler.withVirtualWorld { scheduler.step() }
    #expect(scheduler.pendingCount == 1)
    scheduler.advance()
    #expect(log.all == [1, 2])
  }

  @Test func `a world that is entered again still has its tasks`() {
    scheduler.withVirtualWorld {
      Task {
        try await scheduler.sleep(for: 1)
        log.append(1)
      }
      scheduler.advance()
    }
    scheduler.withVirtualWorld {
      scheduler.advance(by: 1)
      #expect(log.all == [1])
    }
  }

  // MARK: The table of tasks

  @Test func `a world forgets tasks that have ended`() {
    scheduler.withVirtualWorld {
      for number in 0..<1_000 {
        Task { try await scheduler.sleep(for: .seconds(number)) }
        Task.detached { await Task.yield() }
      }
      #expect(knownTasks == 2_000)
      scheduler.advance()
      #expect(knownTasks == 999)
      scheduler.run()
      #expect(knownTasks == 0)
    }
  }

  /// In a process of its own: how soon the address of a child task is used again depends on what else allocates.
  @Test(.exits) func `a world that lasts does not grow`() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let scheduler = DispatchQueue.test
      scheduler.withVirtualWorld {
        for _ in 0..<1_000 {
          let task = Task.detached { 1 }
          Task {
            async let child = task.value
            await withTaskGroup(of: Int.self) { group in for number in 0..<3 { group.addTask { number } } }
            return await child
          }
          scheduler.advance()
        }
        #expect(VirtualWorld.taskCount(of: scheduler.timeline) < 50)
      }
    }
  }

  private var knownTasks: Int { VirtualWorld.taskCount(of: scheduler.timeline) }
}

/// A gate at which a task waits until it is opened.
private final class Gate: Sendable {
  private let waiting = Log<CheckedContinuation<Void, Never>>()

  nonisolated func wait(_ isWaiting: () -> Void = {}) async {
    await withCheckedContinuation {
      keep($0)
      isWaiting()
    }
  }

  nonisolated func keep(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }

  nonisolated func open() { for continuation in waiting.all { continuation.resume() } }
}
