import Dispatch
import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// One test for each sentence of the article on tasks in virtual time; the last test sees to it.
@MainActor
@Suite
struct GuaranteeTests {
  private let scheduler = DispatchQueue.test

  @Test
  func
    `Scheduled work, timers, sleeps on the scheduler and sleeps on its clock happen by date, and on one date in the order in which they were armed`()
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

  @Test func `A task that was started on the scheduler runs on the thread that moves time on, and only while it does`()
  {
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
  func `When a synchronous advance returns, everything that was due has run, and no task of the timeline can go on`() {
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

  @Test func `An actor with an executor of the scheduler belongs to the timeline, whoever calls it`() async {
    let meter = Meter(scheduler.makeSerialExecutor())
    let log = Log<Int>()
    Task.detached { log.append(await meter.tick()) }
    await scheduler.armed(1)
    #expect(log.all == [])
    await scheduler.advance()
    #expect(await log.first(1) == [1])
  }

  @Test func `Streams and continuations that scheduled work resumes go on before time moves on`() {
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

  @Test func `A cancelled sleep ends at the present moment, and leaves nothing armed`() {
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

  @Test func `A sleep until now, or until a date that has passed, does not wait`() throws {
    scheduler.run()
    try scheduler.run {
      try await scheduler.sleep(until: scheduler.now)
      try await scheduler.sleep(for: -1)
      try await scheduler.clock.sleep(until: scheduler.clock.now)
      try await scheduler.clock.sleep(until: scheduler.clock.now.advanced(by: .seconds(-1)))
    }
    #expect(scheduler.elapsed == 0)
  }

  @Test func `A test gives the same trace in every run, however busy the machine is`() {
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

  @Test func `A body that is run to its end takes no real time, however long it sleeps`() throws {
    try scheduler.run {
      for _ in 0..<1000 { try await scheduler.sleep(for: .seconds(86_400)) }
    }
    #expect(scheduler.elapsed == 86_400_000)
  }

  @Test func `A body that can never go on is a deadlock, which is thrown`() {
    #expect(throws: Deadlock.self) {
      try scheduler.run { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    }
  }

  @Test
  func
    `Inside of a task of the timeline, awaiting an advance is a barrier: nothing else is left to run when it returns`()
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
  func `Moving time on from inside of a task of the timeline, without awaiting it, is reported and changes nothing`() {
    nonisolated func moveOn() { scheduler.advance(by: 1) }
    let (_, issues) = IssueReporter.withCapture {
      Task(on: scheduler) { moveOn() }
      scheduler.advance()
    }
    #expect(issues.count == 1)
    #expect(scheduler.elapsed == 0)
  }

  @Test func `A task that outlives its scheduler goes on on the threads of the process`() async {
    let log = Log<Int>()
    do { Task(on: DispatchQueue.test) { log.append(1) } }
    #expect(await log.first(1) == [1])
  }

  // MARK: What belongs to a world

  @Test
  func `Plain tasks, detached tasks and work of the main actor that are started in a world belong to its timeline`() {
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

  @Test func `Whoever is on the main actor of a world passes for it, and whoever is not does not`() async {
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

  @Test func `Other threads notice nothing of a world`() {
    let log = Log<Int>()
    scheduler.withVirtualWorld {
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        Task.detached {
          log.append(1)
          isDone.signal()
        }
      }
      // The task of the other thread runs although nobody moves time on.
      #expect(isDone.wait(timeout: .hang) == .success)
    }
    #expect(log.all == [1])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `A task of a world that another thread resumes comes back, and is counted`() throws {
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

  @Test func `A task that outlives its world goes on on the real main actor`() async {
    let log = Log<Int>()
    do {
      DispatchQueue.test.withVirtualWorld {
        Task { assumeMain { log.append(1) } }
      }
    }
    #expect(await log.first(1) == [1])
  }

  @Test func `The hooks of the runtime are tried out before the first world; one that is missing is reported`() {
    #expect(TestSchedulerOf<DispatchQueue>.notCapturedByVirtualWorld == [])
  }

  // MARK: What an awaited advance waits for

  @Test
  func
    `Outside of the timeline, awaiting an advance or a run stops at each date, and lets what it woke come to rest before time moves on`()
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

  @Test func `A task of the caller's actor is not missed by an advance that is awaited`() async {
    let clock: any Clock<Duration> = scheduler.clock
    for _ in 0..<30 {
      var isDone = false
      Task {
        try await clock.sleep(for: .seconds(1))
        // One turn of the actor after the other.
        for _ in 0..<90 { await Task.yield() }
        isDone = true
      }
      await scheduler.advance(by: .seconds(1))
      #expect(isDone)
    }
  }

  @Test
  func
    `Of tasks elsewhere it is waited for whoever has been woken and not gone on yet, and until twenty rounds through the threads of the process have brought nothing new`()
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

  @Test func `A woken task that cannot go on does not keep an awaited advance from going on`() async {
    let other = DispatchQueue.test
    let log = Log<Int>()
    Task(on: other) {
      try await scheduler.sleep(for: 1)
      log.append(1)
    }
    runDue(other)
    // The task is woken, and waits for the other scheduler.
    await scheduler.advance(by: 2)
    #expect(scheduler.elapsed == 2)
    #expect(log.all == [])
    runDue(other)
    #expect(log.all == [1])
  }

  @Test func `Tasks that do not come to rest at one date are reported when the budget is used up`() async {
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

  @Test func `An advance that begins while another is awaited comes to its target before the other goes on`() async {
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
    `An unstructured task that is started without the scheduler does not belong to the timeline, unless it is in a world`()
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
    `The real main actor does not belong to a timeline: without a world, a synchronous advance does not run its work`()
  {
    let log = Log<Int>()
    Task { @MainActor in log.append(1) }
    scheduler.advance(by: 1)
    #expect(log.all == [])
  }

  @Test func `Queues, threads and the runtime's own Task.sleep go by real time`() {
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
    `Where it is asked for, Task.sleep goes by virtual time too; a duration that may not have been meant is counted`()
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
    `A task from elsewhere that sleeps in an actor of the timeline comes back by way of the threads of the process, and has to be waited for`()
    async
  {
    let meter = Meter(scheduler.makeSerialExecutor())
    let (log, woken) = (Log<Int>(), Log<Int>())
    Task.detached { [scheduler] in log.append(await meter.tick(after: 1, on: scheduler, woken)) }
    await scheduler.armed(1)
    await scheduler.advance()
    #expect(scheduler.nextDate == scheduler.now.advanced(by: 1))
    await scheduler.advance(by: 1)
    // It is on its way back, and runs when time is moved on; it may have done so already.
    while woken.all.isEmpty {
      await scheduler.armed(1)
      await scheduler.advance()
    }
    #expect(await log.first(1) == [1])
  }

  @Test func `For what stays outside, a handshake waits until so much is armed, and reports what is missing`() async {
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
  func `In explored orders, closures, the main actor and each serial executor keep their order; other tasks have none`()
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

  @Test func `The same seed, and the same script, give the same order`() {
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

  @Test func `Orders differ only where tasks wait: what happens between two waits is never divided`() {
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

  @Test func `every sentence of the article is a test`() throws {
    let file = URL(fileURLWithPath: #filePath)
    var package = file
    for _ in 0..<4 { package.deleteLastPathComponent() }
    let article = package.appendingPathComponent("Sources/StreamSchedulers/StreamSchedulers.docc/VirtualTime.md")
    let sentences = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "\n")
      .filter { $0.first?.isNumber == true }
      .map { $0.drop { $0 != " " }.dropFirst().dropLast() }
    // The formatter breaks long lines wherever it likes.
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

/// Runs what is due now, where the compiler would ask for `await`.
private nonisolated func runDue(_ scheduler: TestSchedulerOf<DispatchQueue>) { scheduler.advance() }

/// Stops the program unless the caller is on the main actor.
private nonisolated func assumeMain(_ body: @MainActor () -> Void) { MainActor.assumeIsolated(body) }

private nonisolated func isThread(_ thread: pthread_t) -> Bool { pthread_equal(pthread_self(), thread) != 0 }
