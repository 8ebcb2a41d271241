import Dispatch
import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

/// One test for each numbered sentence of the article on tasks in virtual time; the last test compares them.
@MainActor
@Suite
struct GuaranteeTests {
  private let scheduler = DispatchQueue.test

  @Test
  func
    `Scheduled work, timers, sleeps on the scheduler and sleeps on its clock become due by date, and at equal dates in the order in which they were armed`()
  {
    let log = Log<String>()
    scheduler.schedule(after: scheduler.now.advanced(by: 1)) { log.append("work") }
    Task(on: scheduler) {
      try await scheduler.sleep(for: 1)
      log.append("scheduler")
    }
    Task(on: scheduler) {
      try await scheduler.clock.sleep(for: .seconds(1))
      log.append("clock")
    }
    scheduler.advance()
    let timer = scheduler.schedule(after: scheduler.now.advanced(by: 1), interval: 1) { log.append("timer") }
    scheduler.advance(by: 1)
    #expect(log.all == ["work", "timer", "scheduler", "clock"])
    timer.cancel()
  }

  @Test func `A task started on the scheduler runs on the thread that advances time, and only during the advance`() {
    let thread = Log<Bool>()
    let here = pthread_self()
    Task(on: scheduler) {
      thread.append(isThread(here))
      await Task.yield()
      thread.append(isThread(here))
    }
    #expect(thread.all == [])
    scheduler.advance()
    #expect(thread.all == [true, true])
  }

  @Test
  func
    `When a synchronous advance returns, all work that was due has run, and no task of the timeline can make progress`()
  {
    let log = Log<Int>()
    for number in 1...3 {
      Task(on: scheduler) {
        for round in 1... {
          for _ in 0..<5 { await Task.yield() }
          try await scheduler.sleep(for: .seconds(number))
          log.append(round * number)
        }
      }
    }
    scheduler.advance(by: 6)
    #expect(log.all.sorted() == [1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 6].sorted())
    #expect(scheduler.pendingCount == 3)
    #expect(scheduler.nextDate == scheduler.now.advanced(by: 1))
  }

  @Test
  func
    `Child tasks, task groups, called functions and default actors belong to the timeline of the task that uses them`()
  {
    actor Sum {
      private(set) var sum = 0
      func add(_ number: Int) { sum += number }
    }
    @concurrent func sleepy(_ number: Int) async -> Int {
      try? await scheduler.sleep(for: .seconds(number))
      return number
    }
    let sum = Sum()
    let log = Log<Int>()
    Task(on: scheduler) {
      async let child = sleepy(1)
      await sum.add(child)
      await withTaskGroup(of: Void.self) { group in
        for number in 2...3 { group.addTask { await sum.add(await sleepy(number)) } }
      }
      log.append(await sum.sum)
    }
    scheduler.advance(by: 4)
    #expect(log.all == [6])
    #expect(scheduler.foreignEnqueueCount == 0)
  }

  @Test func `An actor that uses an executor from the scheduler belongs to the timeline, no matter what code calls it`()
    async
  {
    let meter = Meter(scheduler.makeSerialExecutor())
    let log = Log<Int>()
    Task.detached { log.append(await meter.tick()) }
    await scheduler.armed(1)
    #expect(log.all == [])
    await scheduler.advance()
    #expect(await log.first(1) == [1])
  }

  @Test func `A task that scheduled work resumes, through a stream or a continuation, continues before time advances`()
  {
    let log = Log<String>()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    Task(on: scheduler) {
      for await number in stream { log.append("\(number) at \(scheduler.elapsed.magnitude / 1_000_000_000)") }
    }
    for number in 1...3 {
      scheduler.schedule(after: scheduler.now.advanced(by: .seconds(number))) { continuation.yield(number) }
    }
    scheduler.advance(by: 10)
    #expect(log.all == ["1 at 1", "2 at 2", "3 at 3"])
  }

  @Test func `A cancelled sleep ends at the current time and leaves nothing scheduled`() {
    let log = Log<String>()
    let tasks = [
      Task(on: scheduler) { try await scheduler.sleep(for: 9) },
      Task(on: scheduler) { try await scheduler.clock.sleep(for: .seconds(9)) },
    ]
    for task in tasks { Task(on: scheduler) { log.append("\(await task.result)") } }
    scheduler.advance(by: 1)
    for task in tasks { task.cancel() }
    scheduler.advance()
    #expect(log.all == Array(repeating: "failure(Swift.CancellationError())", count: 2))
    #expect(scheduler.elapsed == 1)
    scheduler.assertIdle()
  }

  @Test func `A sleep until now, or until a deadline that has passed, does not wait`() throws {
    scheduler.run()
    try scheduler.run {
      try await scheduler.sleep(until: scheduler.now)
      try await scheduler.sleep(for: -1)
      try await scheduler.clock.sleep(until: scheduler.clock.now)
      try await scheduler.clock.sleep(until: scheduler.clock.now.advanced(by: .seconds(-1)))
    }
    #expect(scheduler.elapsed == 0)
  }

  @Test func `A test produces the same trace in every run, however busy the machine is`() {
    @Sendable nonisolated func trace() -> [String] {
      let scheduler = DispatchQueue.test
      let log = Log<String>()
      for number in 0..<20 {
        Task(on: scheduler) {
          for round in 0..<3 {
            try await scheduler.sleep(for: .seconds(number % 4 + 1))
            log.append("\(number) \(round)")
            await Task.yield()
          }
        }
      }
      scheduler.run()
      return log.all
    }
    let expected = trace()
    DispatchQueue.concurrentPerform(iterations: 16) { _ in #expect(trace() == expected) }
  }

  @Test func `A body that is run to completion waits for no real time, however long it sleeps`() throws {
    try scheduler.run {
      for _ in 0..<1000 { try await scheduler.sleep(for: .seconds(86_400)) }
    }
    #expect(scheduler.elapsed == 86_400_000)
  }

  @Test func `Running a body that can never make progress throws a Deadlock error`() {
    #expect(throws: Deadlock.self) {
      try scheduler.run { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    }
  }

  @Test
  func
    `In a task of the timeline, an awaited advance is a barrier: when it returns, nothing else is left to run`()
    throws
  {
    let log = Log<Int>()
    try scheduler.run {
      for number in 0..<10 {
        Task(on: scheduler) {
          try await scheduler.sleep(for: 1)
          for _ in 0..<number { await Task.yield() }
          log.append(number)
        }
      }
      await scheduler.advance(by: 1)
      log.append(10)
    }
    #expect(log.all.sorted() == Array(0...10))
    #expect(log.all.last == 10)
  }

  @Test
  func `In a task of the timeline, an advance that is not awaited is reported and changes nothing`() {
    nonisolated func moveOn() { scheduler.advance(by: 1) }
    let (_, issues) = IssueReporter.withCapture {
      Task(on: scheduler) { moveOn() }
      scheduler.advance()
    }
    #expect(issues.count == 1)
    #expect(scheduler.elapsed == 0)
  }

  @Test func `A task that outlives its scheduler continues on the global concurrent executor`() async {
    let log = Log<Int>()
    do { Task(on: DispatchQueue.test) { log.append(1) } }
    #expect(await log.first(1) == [1])
  }

  // MARK: What belongs to a world

  @Test
  func `Plain tasks, detached tasks and main-actor work started in a world belong to its timeline`() {
    scheduler.withVirtualWorld {
      let log = Log<String>()
      Task { log.append("plain") }
      Task.detached { await MainActor.run { log.append("from detached") } }
      Task { @MainActor in log.append("main") }
      #expect(log.all == [])
      scheduler.advance()
      #expect(log.all.sorted() == ["from detached", "main", "plain"])
    }
    #expect(scheduler.foreignEnqueueCount == 0)
  }

  @Test(.exits) func `Code on a world's main actor passes isolation checks, and other code does not`() async {
    scheduler.withVirtualWorld {
      var passed = 0
      Task { assumeMain { passed += 1 } }
      scheduler.advance()
      #expect(passed == 1)
    }
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

  @Test func `A world has no effect on other threads`() {
    let log = Log<Int>()
    scheduler.withVirtualWorld {
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        Task.detached {
          log.append(1)
          isDone.signal()
        }
      }
      // The task of the other thread runs although time does not advance.
      #expect(isDone.wait(timeout: .hang) == .success)
    }
    #expect(log.all == [1])
    #expect(scheduler.pendingCount == 0)
  }

  @Test
  func
    `A task that was started before a world, or by another thread, stays outside, even if the world resumes it`()
    async
  {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let (other, otherContinuation) = AsyncStream.makeStream(of: Int.self)
    let log = Log<Int>()
    Task.detached { for await value in stream { log.append(value) } }
    scheduler.withVirtualWorld {
      let isStarted = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        Task.detached { for await value in other { log.append(value) } }
        isStarted.signal()
      }
      isStarted.wait()
      for number in 1...3 {
        continuation.yield(number)
        otherContinuation.yield(number)
      }
      #expect(scheduler.pendingCount == 0)
    }
    #expect(await log.first(6).sorted() == [1, 1, 2, 2, 3, 3])
    continuation.finish()
    otherContinuation.finish()
  }

  @Test
  func
    `A task of a world that another thread resumes returns to the world's timeline and is counted as a foreign enqueue`()
    throws
  {
    let here = pthread_self()
    let isSuspended = DispatchSemaphore(value: 0)
    let isHere = try scheduler.runVirtualWorld(allowingExternalEvents: patience) {
      scheduler.schedule { isSuspended.signal() }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          isSuspended.wait()
          continuation.resume()
        }
      }
      return isThread(here)
    }
    #expect(isHere)
    #expect(scheduler.foreignEnqueueCount == 1)
  }

  @Test func `A main-actor task that outlives its world continues on the real main actor`() async {
    let log = Log<Int>()
    scheduler.withVirtualWorld {
      Task { assumeMain { log.append(1) } }
    }
    #expect(await log.first(1) == [1])
  }

  @Test
  func
    `Other tasks that outlive their world continue on the global concurrent executor, even if the scheduler lives on`()
    async
  {
    let (here, log) = (pthread_self(), Log<Bool>())
    scheduler.withVirtualWorld {
      Task.detached { log.append(isThread(here)) }
      #expect(scheduler.pendingCount == 1)
    }
    #expect(await log.first(1) == [false])
  }

  @Test func `The required runtime hooks are tested before the first world begins, and a missing one is reported`() {
    #expect(TestSchedulerOf<DispatchQueue>.notCapturedByVirtualWorld == [])
  }

  // MARK: What an awaited advance waits for

  @Test
  func
    `Outside the timeline, an awaited advance or run stops at each date until the tasks that it woke are at rest`()
    async
  {
    var dates: [DispatchQueue.SchedulerTimeType.Stride] = []
    Task {
      for _ in 1...5 {
        try await scheduler.sleep(for: 1)
        dates.append(scheduler.elapsed)
      }
    }
    await scheduler.advance(by: 3)
    #expect(dates == [1, 2, 3])
    await scheduler.run()
    #expect(dates == [1, 2, 3, 4, 5])
  }

  @Test func `An awaited advance doesn't miss any tasks on the caller's actor`() async {
    let clock: any Clock<Duration> = scheduler.clock
    for _ in 0..<30 {
      var isDone = false
      Task {
        try await clock.sleep(for: .seconds(1))
        // Many successive turns of the actor.
        for _ in 0..<90 { await Task.yield() }
        isDone = true
      }
      await scheduler.advance(by: .seconds(1))
      #expect(isDone)
    }
  }

  @Test
  func
    `For tasks elsewhere, an awaited advance waits until each woken task has resumed and twenty rounds in a row through the global executor have brought nothing new`()
    async
  {
    let log = Log<DispatchQueue.SchedulerTimeType.Stride>()
    for _ in 0..<20 {
      Task.detached { [scheduler] in
        for _ in 1...3 {
          try await scheduler.sleep(for: 1)
          log.append(scheduler.elapsed)
        }
      }
    }
    await scheduler.armed(20)
    await scheduler.advance(by: 3)
    #expect(log.all == [1, 2, 3].flatMap { Array(repeating: $0, count: 20) })
  }

  @Test func `A woken task that cannot continue does not block an awaited advance`() async {
    let other = DispatchQueue.test
    let log = Log<Int>()
    Task(on: other) {
      try await scheduler.sleep(for: 1)
      log.append(1)
    }
    runDue(other)
    // The task is woken and waits for the other scheduler.
    await scheduler.advance(by: 2)
    #expect(scheduler.elapsed == 2)
    #expect(log.all == [])
    runDue(other)
    #expect(log.all == [1])
  }

  @Test func `Tasks that schedule work at one date without end are reported when the budget is used up`() async {
    scheduler.maximumActionsPerInstant = 100
    let task = Task {
      while !Task.isCancelled {
        scheduler.schedule {}
        await Task.yield()
      }
    }
    let (_, issues) = await IssueReporter.withCapture { await scheduler.advance(by: 1) }
    task.cancel()
    #expect(issues.count == 1)
    #expect(scheduler.elapsed == 0)
  }

  @Test func `An advance that begins while another is awaited reaches its target before the other continues`() async {
    let log = Log<String>()
    Task {
      try await scheduler.sleep(for: 1)
      await scheduler.advance(by: 2)
      log.append("inner at \(scheduler.elapsed.magnitude / 1_000_000_000)")
    }
    await scheduler.advance(by: 5)
    log.append("outer at \(scheduler.elapsed.magnitude / 1_000_000_000)")
    #expect(log.all == ["inner at 3", "outer at 5"])
  }

  // MARK: What stays outside

  @Test
  func
    `An unstructured task started without the scheduler does not belong to the timeline, except in a world`()
    async
  {
    let log = Log<String>()
    Task(on: scheduler) { Task.detached { log.append("elsewhere") } }
    await scheduler.advance()
    #expect(await log.first(1) == ["elsewhere"])
    scheduler.withVirtualWorld {
      Task.detached { log.append("in the world") }
      #expect(log.all.count == 1)
      scheduler.advance()
      #expect(log.all.count == 2)
    }
  }

  @Test
  func
    `The real main actor belongs to no timeline: without a world, a synchronous advance does not run its work`()
  {
    let log = Log<Int>()
    Task { @MainActor in log.append(1) }
    scheduler.advance(by: 1)
    #expect(log.all == [])
  }

  @Test func `Dispatch queues, threads and, by default, Task.sleep use real time`() {
    let log = Log<String>()
    let mayRun = DispatchSemaphore(value: 0)
    let hasRun = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      mayRun.wait()
      log.append("queue")
      hasRun.signal()
    }
    let sleeper = Task(on: scheduler) { try await Task<Never, Never>.sleep(for: .seconds(600)) }
    scheduler.advance(by: 3600)
    #expect(log.all == [])
    #expect(!sleeper.isCancelled)
    mayRun.signal()
    hasRun.wait()
    #expect(log.all == ["queue"])
    sleeper.cancel()
  }

  @Test
  func
    `With capturesTaskSleep, Task.sleep uses virtual time too, and sleeps whose end may be inexact are counted`()
  {
    #if os(Linux)
      scheduler.capturesTaskSleep = true
      let log = Log<DispatchQueue.SchedulerTimeType.Stride>()
      Task(on: scheduler) {
        try await Task<Never, Never>.sleep(for: .seconds(60))
        log.append(scheduler.elapsed)
      }
      scheduler.advance(by: 61)
      #expect(log.all == [60] || scheduler.inexactSleepCount == 1)
    #endif
  }

  @Test
  func
    `A task from elsewhere that sleeps in an actor of the timeline returns through the global executor, and a test must wait for it`()
    async
  {
    let meter = Meter(scheduler.makeSerialExecutor())
    let (log, woken) = (Log<Int>(), Log<Int>())
    Task.detached { [scheduler] in log.append(await meter.tick(after: 1, on: scheduler, woken)) }
    await scheduler.armed(1)
    await scheduler.advance()
    #expect(scheduler.nextDate == scheduler.now.advanced(by: 1))
    await scheduler.advance(by: 1)
    // The task returns to the timeline, and runs during an advance; it may have done so already.
    while woken.all.isEmpty {
      await scheduler.armed(1)
      await scheduler.advance()
    }
    #expect(await log.first(1) == [1])
  }

  @Test
  func
    `For tasks outside the timeline, armed waits for a given number of pending actions and sleeps, and reports how many are missing`()
    async
  {
    Task.detached { try await scheduler.sleep(for: 1) }
    #expect(await scheduler.armed(1))
    let (_, issues) = await IssueReporter.withCapture {
      #expect(await !scheduler.armed(2, timeout: .milliseconds(1)))
    }
    #expect(issues.first?.message.contains("1 of 2 are armed, 1 missing") == true)
    await scheduler.advance(by: 1)
  }

  // MARK: Orders

  @Test
  func
    `In explored orders, scheduled closures, main-actor jobs and jobs of each serial executor keep their order; other tasks run in any order`()
  {
    var orders: Set<[String]> = []
    for seed in 1...40 as ClosedRange<UInt64> {
      let scheduler = DispatchQueue.test(order: .shuffled(seed: seed))
      let log = Log<String>()
      scheduler.withVirtualWorld {
        for number in 1...3 {
          scheduler.schedule { log.append("closure \(number)") }
          Task { log.append("main \(number)") }
          Task.detached { log.append("task \(number)") }
        }
        scheduler.advance()
      }
      for kind in ["closure", "main"] {
        #expect(log.all.filter { $0.hasPrefix(kind) } == (1...3).map { "\(kind) \($0)" })
      }
      orders.insert(log.all.filter { $0.hasPrefix("task") })
    }
    #expect(orders.count == 6)
  }

  @Test func `The same seed or the same script gives the same order`() {
    func trace(_ order: RunOrder) -> [Int] {
      let scheduler = DispatchQueue.test(order: order)
      let log = Log<Int>()
      for number in 0..<9 { Task(on: scheduler) { log.append(number) } }
      scheduler.advance()
      return log.all
    }
    for order in [RunOrder.shuffled(seed: 7), .script([3, 1, 4, 1, 5])] { #expect(trace(order) == trace(order)) }
    #expect(trace(.script([3, 1, 4, 1, 5])).prefix(5) == [3, 1, 6, 2, 0])
  }

  @Test func `Orders differ only at suspension points: code between two suspension points is never interleaved`() {
    exploreAll { order in
      let scheduler = DispatchQueue.test(order: order)
      let log = Log<String>()
      for name in ["a", "b", "c"] {
        Task(on: scheduler) { for _ in 0..<3 { log.append(name) } }
      }
      scheduler.advance()
      let text = log.all.joined()
      #expect(text.contains("aaa") && text.contains("bbb") && text.contains("ccc"))
    }
  }

  // MARK: The article

  @Test func `every numbered sentence of the article is the name of a test`() throws {
    let file = URL(fileURLWithPath: #filePath)
    var package = file
    for _ in 0..<4 { package.deleteLastPathComponent() }
    let article = package.appendingPathComponent("Sources/StreamSchedulers/StreamSchedulers.docc/VirtualTime.md")
    let sentences = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "\n")
      .filter { $0.first?.isNumber == true }
      .map { $0.drop { $0 != " " }.dropFirst().dropLast() }
    // The formatter may break long lines anywhere.
    let words = try String(contentsOf: file, encoding: .utf8).split { $0.isWhitespace }.joined(separator: " ")
    let tests = words.components(separatedBy: "func `").dropFirst()
      .map { $0.prefix { $0 != "`" } }
      .filter { $0.first?.isUppercase == true }
    #expect(sentences == tests)
    #expect(sentences.count > 25)
  }
}

private actor Meter {
  private let executor: VirtualSerialExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var count = 0

  init(_ executor: VirtualSerialExecutor) { self.executor = executor }

  func tick() -> Int {
    count += 1
    return count
  }

  func tick(
    after delay: DispatchQueue.SchedulerTimeType.Stride, on scheduler: TestSchedulerOf<DispatchQueue>, _ woken: Log<Int>
  ) async -> Int {
    try? await scheduler.sleep(for: delay)
    woken.append(1)
    return tick()
  }
}

/// Runs work that is due now, where the compiler would require `await`.
private nonisolated func runDue(_ scheduler: TestSchedulerOf<DispatchQueue>) { scheduler.advance() }

/// Stops the program unless the caller is on the main actor.
private nonisolated func assumeMain(_ body: @MainActor () -> Void) { MainActor.assumeIsolated(body) }

private nonisolated func isThread(_ thread: pthread_t) -> Bool { pthread_equal(pthread_self(), thread) != 0 }
