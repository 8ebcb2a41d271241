import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Tasks that run on the timeline of a test scheduler.
@Suite
struct TaskTests {
  private let scheduler = DispatchQueue.test

  // MARK: Driven by advancing

  @Test func `a task on the scheduler runs when time advances, and not before`() {
    let log = Log<String>()
    Task(on: scheduler) {
      log.append("started")
      try await scheduler.sleep(for: 10)
      log.append("woken at \(scheduler.elapsed.magnitude / 1_000_000_000)")
    }
    #expect(log.all == [])
    scheduler.advance()
    #expect(log.all == ["started"])
    scheduler.advance(by: 9)
    #expect(log.all == ["started"])
    scheduler.advance(by: 1)
    #expect(log.all == ["started", "woken at 10"])
    scheduler.assertIdle()
  }

  @Test func `child tasks, groups, actors and functions run on the timeline of the task`() {
    actor Counter {
      private(set) var count = 0
      func add() -> Int {
        count += 1
        return count
      }
    }
    @concurrent func work(_ number: Int) async throws -> Int {
      try await scheduler.sleep(for: .seconds(number))
      return number
    }
    let counter = Counter()
    let log = Log<String>()
    Task(on: scheduler) {
      async let one = work(1)
      async let two = work(2)
      let sum = try await one + two
      log.append("sum \(sum)")
      await withTaskGroup(of: Int.self) { group in
        for number in 1...3 {
          group.addTask {
            try? await scheduler.sleep(for: .seconds(number))
            return await counter.add()
          }
        }
        for await count in group { log.append("count \(count)") }
      }
      await Task.yield()
      log.append("end")
    }
    scheduler.advance(by: 2)
    #expect(log.all == ["sum 3"])
    scheduler.advance(by: 3)
    #expect(log.all == ["sum 3", "count 1", "count 2", "count 3", "end"])
    #expect(scheduler.foreignEnqueueCount == 0)
  }

  @Test func `a task that scheduled work resumes through a stream continues in the same call`() {
    let log = Log<Int>()
    let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
    Task(on: scheduler) { for await number in numbers { log.append(number) } }
    for number in 1...3 {
      scheduler.schedule(after: scheduler.now.advanced(by: .seconds(number))) { continuation.yield(number) }
    }
    scheduler.advance(by: 2)
    #expect(log.all == [1, 2])
    scheduler.advance(by: 1)
    #expect(log.all == [1, 2, 3])
  }

  @Test func `sleeps with equal deadlines wake in the order in which they were armed`() {
    let log = Log<Int>()
    for number in 0..<100 {
      Task(on: scheduler) {
        try await scheduler.sleep(for: 1)
        log.append(number)
      }
    }
    scheduler.advance(by: 1)
    #expect(log.all == Array(0..<100))
  }

  @Test func `a cancelled sleep ends at the current time and leaves nothing scheduled`() {
    let log = Log<String>()
    let task = Task(on: scheduler) {
      do {
        try await scheduler.sleep(for: 3600)
      } catch {
        log.append("\(type(of: error)) at \(scheduler.elapsed.magnitude)")
      }
    }
    scheduler.advance()
    #expect(scheduler.pendingCount == 1)
    task.cancel()
    scheduler.advance()
    #expect(log.all == ["CancellationError at 0"])
    scheduler.assertIdle()
  }

  @Test func `an actor with an executor of the scheduler stays on the timeline, whichever code calls it`() async {
    actor Account {
      private let executor: VirtualSerialExecutor
      nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
      private(set) var balance = 0

      init(_ executor: VirtualSerialExecutor) { self.executor = executor }

      func deposit(_ amount: Int) { balance += amount }
    }
    let account = Account(scheduler.makeSerialExecutor())
    let log = Log<Int>()
    for amount in 1...3 {
      Task.detached {
        await account.deposit(amount)
        log.append(amount)
      }
    }
    await scheduler.armed(3)
    #expect(log.all == [])
    await scheduler.advance()
    #expect(await log.first(3).sorted() == [1, 2, 3])
  }

  @Test func `tasks can be started on an erased scheduler`() {
    final class Poller {
      let polls = Log<Int>()
      func start(on scheduler: AnySchedulerOf<DispatchQueue>) {
        Task(on: scheduler) { [polls] in
          for number in 0... {
            polls.append(number)
            try await scheduler.sleep(for: 1)
          }
        }
      }
    }
    let poller = Poller()
    poller.start(on: scheduler.eraseToAnyScheduler())
    scheduler.advance(by: 3)
    #expect(poller.polls.all == [0, 1, 2, 3])
    #expect(DispatchQueue.main.eraseToAnyScheduler().taskExecutor == nil)
  }

  @Test func `a task that outlives its scheduler continues on the global executor`() async {
    let log = Log<String>()
    do {
      let scheduler = DispatchQueue.test
      Task(on: scheduler) { log.append("ran") }
    }
    #expect(await log.first(1) == ["ran"])
  }

  @Test func `a synchronous advance in a task of the timeline is reported`() {
    func moveOn() { scheduler.advance(by: 1) }
    let (_, issues) = IssueReporter.withCapture {
      Task(on: scheduler) { moveOn() }
      scheduler.advance()
    }
    #expect(issues.count == 1)
    #expect(issues.first?.message.contains("await scheduler.advance(by:)") == true)
    #expect(scheduler.elapsed == 0)
  }

  // MARK: Driven to the end

  @Test func `run drives a body to completion in virtual time`() throws {
    let result = try scheduler.run {
      try await scheduler.sleep(for: 3600)
      return scheduler.elapsed
    }
    #expect(result == 3600)
  }

  @Test func `run rethrows the error of the body`() {
    #expect(throws: TestFailure()) {
      try scheduler.run { () -> Int in
        try await scheduler.sleep(for: 1)
        throw TestFailure()
      }
    }
  }

  @Test func `an awaited advance in a task of the timeline is a barrier`() throws {
    let log = Log<String>()
    try scheduler.run {
      Task(on: scheduler) {
        try await scheduler.sleep(for: 1)
        log.append("woken")
        await Task.yield()
        log.append("after a yield")
        try await scheduler.sleep(for: .zero)
        log.append("after a sleep of nothing")
      }
      await scheduler.advance(by: 1)
      log.append("advanced")
      #expect(scheduler.elapsed == 1)
    }
    #expect(log.all == ["woken", "after a yield", "after a sleep of nothing", "advanced"])
  }

  @Test func `an awaited run in a task of the timeline does what is pending, however short its timeout is`() throws {
    let log = Log<Int>()
    try scheduler.run {
      for second in 1...3 {
        scheduler.schedule(after: scheduler.now.advanced(by: .seconds(second))) { log.append(second) }
      }
      await scheduler.run(timeout: .zero)
    }
    #expect(log.all == [1, 2, 3])
  }

  @Test func `an awaited advance to a date runs what is due until then, and to the present what is due now`() async {
    let log = Log<Int>()
    let start = scheduler.now
    for second in 1...2 {
      scheduler.schedule(after: start.advanced(by: .seconds(second))) { log.append(second) }
    }
    await scheduler.advance(to: start.advanced(by: 1))
    #expect(log.all == [1])
    scheduler.schedule { log.append(0) }
    await scheduler.advance(to: scheduler.now)
    #expect(log.all == [1, 0])
    let (_, issues) = await IssueReporter.withCapture { await scheduler.advance(to: start) }
    #expect(issues.count == 1)
    #expect(scheduler.elapsed == 1)
  }

  @Test func `run throws Deadlock for a body that cannot make progress, and cancels it`() {
    let log = Log<String>()
    let error = #expect(throws: Deadlock.self) {
      try scheduler.run {
        try await scheduler.sleep(for: 5)
        let (never, _) = AsyncStream.makeStream(of: Int.self)
        for await _ in never {}
        log.append("cancelled: \(Task.isCancelled)")
      }
    }
    #expect(
      error?.description.hasPrefix(
        "The closure has not returned, but nothing is left to run on the timeline at 5 s.") == true)
    #expect(log.all == ["cancelled: true"])
  }

  @Test func `run stops a body that never ends when the budget is used up`() {
    scheduler.maximumActions = 1000
    let error = #expect(throws: Deadlock.self) {
      try scheduler.run { while !Task.isCancelled { try? await scheduler.sleep(for: 1) } }
    }
    #expect(error?.description.contains(" after 1000 actions in one call, because more are due") == true)
  }

  @Test func `each run of a body has a budget of its own, and so has an advance after it`() throws {
    scheduler.maximumActions = 10
    for _ in 1...3 {
      try scheduler.run { for _ in 1...2 { try await scheduler.sleep(for: 1) } }
    }
    var count = 0
    let (_, issues) = IssueReporter.withCapture {
      for _ in 1...3 {
        for _ in 1...8 { scheduler.schedule { count += 1 } }
        scheduler.advance()
      }
    }
    #expect(issues.isEmpty)
    #expect(count == 24)
  }

  @Test(.ownThread) func `run with allowingExternalEvents waits for events from outside`() throws {
    let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
    let number = try scheduler.run(allowingExternalEvents: patience) {
      DispatchQueue.global().async { continuation.yield(7) }
      for await number in numbers { return number }
      return 0
    }
    #expect(number == 7)
  }

  @Test(.ownThread) func `run waits on for events after another thread has cancelled what it had scheduled`() throws {
    let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
    let number = try scheduler.run(allowingExternalEvents: patience) {
      DispatchQueue.global().async { [scheduler] in
        for _ in 1...20_000 {
          scheduler.schedule(after: scheduler.now.advanced(by: 5), interval: 5) {}.cancel()
        }
        continuation.yield(7)
      }
      for await number in numbers { return number }
      return 0
    }
    #expect(number == 7)
  }

  @Test func `an awaited advance outside the timeline runs pending tasks of the caller's actor`() async {
    @MainActor final class Model {
      var log: [String] = []
      func start(_ scheduler: TestSchedulerOf<DispatchQueue>) {
        Task {
          log.append("task")
          try await scheduler.sleep(for: 1)
          log.append("woken")
        }
      }
    }
    let log = await Task { @MainActor in
      let model = Model()
      model.start(scheduler)
      await scheduler.advance(by: 1)
      return model.log
    }.value
    #expect(log == ["task", "woken"])
  }

  // MARK: The handshake

  @Test func `armed waits until sleeps of tasks outside the timeline are armed`() async {
    for _ in 0..<3 { Task.detached { try await scheduler.sleep(for: 5) } }
    #expect(await scheduler.armed(3))
    #expect(scheduler.pendingCount == 3)
    await scheduler.run()
  }

  @Test(.ownThread) func `the synchronous armed blocks a thread until a sleep is armed`() {
    func wait() {
      Task.detached { try await scheduler.sleep(for: 5) }
      #expect(scheduler.armed(1))
    }
    wait()
    scheduler.run()
  }

  @MainActor
  @Test func `armed waits on after an action that is not the last`() async {
    let waiting = Task { @MainActor in await scheduler.armed(2) }
    for _ in 1...2 {
      // The jobs of the main actor run in order, so the task waits, or waits anew, when this one has run.
      await Task { @MainActor in }.value
      scheduler.schedule(after: scheduler.now.advanced(by: 5)) {}
    }
    #expect(await waiting.value)
    await scheduler.run()
  }

  @Test(.timeLimit(.minutes(10))) func `armed returns at once in a task that is cancelled`() async {
    let waiting = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await scheduler.armed(1, timeout: .seconds(3600))
    }
    #expect(await waiting.value == false)
  }

  @Test func `armed reports missing actions after the timeout`() async {
    scheduler.schedule(after: scheduler.now.advanced(by: 5)) {}
    let line = #line + 2 as UInt
    let (_, issues) = await IssueReporter.withCapture {
      #expect(await scheduler.armed(3, timeout: .milliseconds(1)) == false)
    }
    #expect(issues.map(\.line) == [line])
    #expect(
      issues.first?.message.hasPrefix("After 0.001 seconds, 1 of 3 are armed, 2 missing:\n- number 0, at ") == true)
  }

  @Test(.ownThread) func `a sleep stays on the actor of its caller`() {
    // A task outside the timeline, on an actor of the timeline: between the call and the wake-up it stays on the actor.
    let actor = Clerk(scheduler)
    Task.detached { await actor.sleep() }
    #expect(scheduler.armed(1))
    scheduler.advance()
    #expect(scheduler.pendingActions.map(\.date) == [scheduler.now.advanced(by: 1)])
    scheduler.advance(by: 1)
  }
}

/// An actor on the timeline.
private actor Clerk {
  private let scheduler: TestSchedulerOf<DispatchQueue>
  private let executor: VirtualSerialExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ scheduler: TestSchedulerOf<DispatchQueue>) {
    self.scheduler = scheduler
    executor = scheduler.makeSerialExecutor()
  }

  func sleep() async { try? await scheduler.sleep(for: .seconds(1)) }
}
