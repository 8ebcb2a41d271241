import Dispatch
import Foundation
import StreamFoundation
import Streams
import SuiteSupport
import Synchronization
import Testing

@testable import StreamSchedulers

// `@testable`: how many tasks sleep, which no test of a program needs to know.

/// Awaited advances, and tasks that do not belong to the timeline. `StreamsInSwift5Tests` has the same for Swift 5 mode.
@Suite
struct AwaitedAdvanceTests {
  /// The schedulers and clocks through which a task can sleep.
  enum SleeperKind: CaseIterable, Sendable {
    case clock, anyClock, erasedClock, scheduler, clockOfScheduler, schedulerAsClock, schedulerOfClock, clockTimer
    case schedulerThatShares, erasedScheduler

    static var rounds: Int { 12 }
  }

  /// One timeline with its schedulers and clocks.
  struct SleepersOnOneTimeline: Sendable {
    let scheduler = DispatchQueue.test

    nonisolated(nonsending)
      func sleepASecond(_ kind: SleeperKind) async throws
    {
      switch kind {
      case .clock: try await scheduler.clock.sleep(for: .seconds(1))
      case .anyClock:
        let clock: any Clock<Duration> = scheduler.clock
        try await clock.sleep(for: .seconds(1))
      case .erasedClock: try await AnyClock(scheduler.clock).sleep(for: .seconds(1))
      case .scheduler: try await scheduler.sleep(for: .seconds(1))
      case .clockOfScheduler: try await scheduler.clock.sleep(until: .init(offset: .seconds(1)))
      case .schedulerAsClock: try await scheduler.asClock().sleep(for: .seconds(1))
      case .schedulerOfClock: try await scheduler.clock.scheduler.sleep(for: .seconds(1))
      case .clockTimer: for await _ in scheduler.clock.timer(interval: .seconds(1)) { return }
      case .schedulerThatShares: try await RunLoop.test(sharing: scheduler).sleep(for: .seconds(1))
      case .erasedScheduler: try await scheduler.eraseToAnyScheduler().sleep(for: .seconds(1))
      }
    }
  }

  // MARK: What an advance waits for

  @Test(arguments: [false, true])
  func `a task counts as sleeping until its sleep returns, and as one not to wait for until it is woken`(
    isCancelled: Bool
  ) {
    let scheduler = DispatchQueue.test
    let timeline = scheduler.timeline
    func counts() -> [Int] {
      [timeline.sleeperCount.load(ordering: .relaxed), timeline.table.withLock { $0.sleepCount }]
    }
    let task = Task(on: scheduler) { try await scheduler.sleep(for: .seconds(1)) }
    #expect(counts() == [0, 0])
    scheduler.advance()
    #expect(counts() == [1, 1])
    if isCancelled {
      task.cancel()
      #expect(counts() == [1, 0])
      scheduler.advance()
    } else {
      scheduler.advance(by: .seconds(1))
    }
    #expect(counts() == [0, 0])
  }

  // MARK: Tasks of the caller's actor

  @MainActor
  @Test(arguments: SleeperKind.allCases)
  func `an awaited advance misses no task of the main actor`(_ kind: SleeperKind) async {
    var missed = 0
    for round in 0..<SleeperKind.rounds {
      let sleepers = SleepersOnOneTimeline()
      var isDone = false
      let task = Task { @MainActor in
        try await sleepers.sleepASecond(kind)
        isDone = true
      }
      if round % 2 == 0 {
        await sleepers.scheduler.advance(by: .seconds(1))
      } else {
        await sleepers.scheduler.clock.advance(by: .seconds(1))
      }
      if !isDone { missed += 1 }
      task.cancel()
    }
    #expect(missed == 0)
  }

  @MainActor
  @Test func `an awaited advance misses no task of the main actor in a hundred rounds`() async {
    var missed = 0
    for _ in 0..<100 {
      let clock = TestClock()
      var isDone = false
      let task = Task { @MainActor in
        try await clock.sleep(for: .seconds(1))
        isDone = true
      }
      await clock.advance(by: .seconds(1))
      if !isDone { missed += 1 }
      task.cancel()
    }
    #expect(missed == 0)
  }

  @Test func `an actor that awaits an advance misses none of its tasks`() async {
    actor Caller {
      private var count = 0

      func missed() async -> Int {
        var missed = 0
        for _ in 0..<15 {
          let clock = TestClock()
          count = 0
          for priority in [TaskPriority.background, .medium, .high] {
            Task(priority: priority) {
              for _ in 0..<3 { try await clock.sleep(for: .seconds(1)) }
              self.count += 1
            }
          }
          await clock.advance(by: .seconds(3))
          if count != 3 { missed += 1 }
        }
        return missed
      }
    }
    #expect(await Caller().missed() == 0)
  }

  @MainActor
  @Test func `five sleeps in one task wake five times, each at its deadline`() async {
    for _ in 0..<10 {
      let clock = TestClock()
      var instants: [Duration] = []
      Task { @MainActor in
        for _ in 1...5 {
          try await clock.sleep(for: .seconds(1))
          instants.append(clock.now.offset)
        }
      }
      await clock.advance(by: .seconds(5))
      #expect(instants == (1...5).map { .seconds($0) })
      #expect(clock.now.offset == .seconds(5))
    }
  }

  @MainActor
  @Test func `tasks started by woken tasks are not missed`() async {
    for _ in 0..<10 {
      let scheduler = DispatchQueue.test
      var trace: [String] = []
      @MainActor func sleepAndStart(_ name: String, _ depth: Int) {
        Task { @MainActor in
          try await scheduler.sleep(for: .seconds(1))
          trace.append("\(name) at \(scheduler.elapsed.magnitude / 1_000_000_000)")
          if depth > 1 { sleepAndStart(name, depth - 1) }
          // Some turns of the actor pass until this task sleeps again.
          for _ in 0..<10 { await Task.yield() }
          try await scheduler.sleep(for: .milliseconds(500))
          trace.append("\(name) again")
        }
      }
      sleepAndStart("a", 3)
      await scheduler.advance(by: .seconds(4))
      #expect(trace == ["a at 1", "a again", "a at 2", "a again", "a at 3", "a again"])
      #expect(scheduler.pendingCount == 0)
    }
  }

  @MainActor
  @Test func `tasks that await streams and tasks of the same actor are not missed`() async {
    for _ in 0..<10 {
      let clock = TestClock()
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      var sums: [Int] = []
      Task { @MainActor in
        var sum = 0
        for await number in stream {
          sum += number
          try await clock.sleep(for: .seconds(1))
          sums.append(sum)
        }
      }
      let child = Task { @MainActor in
        for number in 1...3 {
          try await clock.sleep(for: .seconds(1))
          continuation.yield(number)
        }
      }
      Task { @MainActor in
        try await child.value
        sums.append(100)
      }
      await clock.advance(by: .seconds(4))
      #expect(sums.sorted() == [1, 3, 6, 100])
    }
  }

  @MainActor
  @Test func `a sleep cancelled during an awaited advance is not missed`() async {
    for _ in 0..<10 {
      let clock = TestClock()
      var ends: [String] = []
      let sleeper = Task { @MainActor in
        do { try await clock.sleep(for: .seconds(60)) } catch { ends.append("\(type(of: error)) at \(clock.now)") }
      }
      Task { @MainActor in
        try await clock.sleep(for: .seconds(1))
        sleeper.cancel()
      }
      await clock.advance(by: .seconds(2))
      #expect(ends == ["CancellationError at 1.0 seconds"])
    }
  }

  // MARK: Tasks elsewhere

  @MainActor
  @Test func `detached tasks wake at each of their deadlines`() async {
    for _ in 0..<10 {
      let clock = TestClock()
      let log = Log<Duration>()
      Task.detached {
        for _ in 1...3 {
          try await clock.sleep(for: .seconds(1))
          log.append(clock.now.offset)
        }
      }
      await clock.advance(by: .seconds(3))
      #expect(log.all == [.seconds(1), .seconds(2), .seconds(3)])
    }
  }

  @Test func `a caller without an actor misses no task`() async {
    for _ in 0..<10 {
      let scheduler = DispatchQueue.test
      let log = Log<Int>()
      for _ in 0..<3 {
        Task {
          for second in 1...3 {
            try await scheduler.sleep(for: .seconds(1))
            log.append(second)
          }
        }
      }
      await scheduler.advance(by: .seconds(3))
      #expect(log.all == [1, 1, 1, 2, 2, 2, 3, 3, 3])
    }
  }

  #if os(Linux)
    /// In a process of its own, in which nothing else occupies the threads of the tasks.
    @Test(.exits) func `a woken task whose thread gets no processor for a while is not missed`() async {
      await #expect(processExitsWith: .success) {
        let log = Log<Int>()
        for _ in 0..<10 {
          let scheduler = DispatchQueue.test
          Task.detached {
            for second in 1...2 {
              try await scheduler.sleep(for: .seconds(1))
              // The task is about to sleep again, and leaves no trace until it does.
              let end = DispatchTime.now() + .milliseconds(30)
              while DispatchTime.now() < end {}
              log.append(second)
            }
          }
          await scheduler.run()
        }
        #expect(log.all == Array(repeating: [1, 2], count: 10).flatMap { $0 })
      }
    }
  #endif

  // MARK: Running

  @MainActor
  @Test func `awaiting run of a scheduler advances until nothing is scheduled`() async {
    for _ in 0..<5 {
      let scheduler = DispatchQueue.test
      var seconds: [Int] = []
      Task { @MainActor in
        for second in 1...5 {
          try await scheduler.sleep(for: .seconds(second))
          seconds.append(second)
        }
      }
      await scheduler.run()
      #expect(seconds == [1, 2, 3, 4, 5])
      #expect(scheduler.elapsed == .seconds(15))
    }
  }

  @MainActor
  @Test func `awaiting run of a clock advances until no sleep is pending`() async {
    let clock = TestClock()
    var count = 0
    Task { @MainActor in
      for second in 1...5 {
        try await clock.sleep(for: .seconds(second))
        count += 1
      }
    }
    await clock.run()
    #expect(count == 5)
    #expect(clock.now.offset == .seconds(15))
  }

  @MainActor
  @Test func `awaiting run of a scheduler reports endless work after the timeout`() async {
    let scheduler = DispatchQueue.test
    let timer = scheduler.schedule(after: scheduler.now, interval: .seconds(1)) {}
    let (line, issues) = await IssueReporter.withCapture {
      await scheduler.run(timeout: .milliseconds(1))
      return #line - 1 as UInt
    }
    #expect(issues.map(\.line) == [line])
    #expect(issues.first?.message.contains("The scheduler did not become idle within 0.001 seconds") == true)
    timer.cancel()
    await scheduler.run()
  }

  @MainActor
  @Test func `awaiting run of a scheduler stops when its budget is used up`() async {
    let scheduler = DispatchQueue.test
    scheduler.maximumActions = 10
    let timer = scheduler.schedule(after: scheduler.now, interval: .seconds(1)) {}
    let (_, issues) = await IssueReporter.withCapture { await scheduler.run() }
    #expect(issues.count == 1)
    #expect(issues.first?.message.contains(" after 10 actions in one call, because") == true)
    timer.cancel()
  }

  @Test func `in a task of the timeline, awaiting run waits for all other tasks`() throws {
    let scheduler = DispatchQueue.test
    let result = try scheduler.run {
      let log = Log<Int>()
      for second in [3, 1, 2] {
        Task(on: scheduler) {
          try await scheduler.sleep(for: .seconds(second))
          log.append(second)
        }
      }
      await scheduler.run()
      return log.all
    }
    #expect(result == [1, 2, 3])
  }

  @MainActor
  @Test func `awaiting run returns when the calling task is cancelled`() async {
    let scheduler = DispatchQueue.test
    let timer = scheduler.schedule(after: scheduler.now, interval: .seconds(1)) {
      withUnsafeCurrentTask { $0?.cancel() }
    }
    await Task { @MainActor in await scheduler.run() }.value
    #expect(scheduler.pendingCount == 1)
    timer.cancel()
  }

  // MARK: Nested advances

  @MainActor
  @Test func `a woken task may await an advance itself`() async {
    for _ in 0..<10 {
      let clock = TestClock()
      var trace: [String] = []
      Task { @MainActor in
        try await clock.sleep(for: .seconds(1))
        await clock.advance(by: .seconds(3))
        trace.append("inner at \(clock.now.offset.components.seconds)")
      }
      Task { @MainActor in
        try await clock.sleep(for: .seconds(3))
        trace.append("other at \(clock.now.offset.components.seconds)")
      }
      await clock.advance(by: .seconds(2))
      // The outer advance is at rest only when the task that it woke is, and time does not go back.
      #expect(trace == ["other at 3", "inner at 4"])
      #expect(clock.now.offset == .seconds(4))
    }
  }

  @MainActor
  @Test func `two concurrently awaited advances each reach their target`() async {
    for _ in 0..<5 {
      let scheduler = DispatchQueue.test
      var seconds: [Int] = []
      Task { @MainActor in
        for _ in 1...5 {
          try await scheduler.sleep(for: .seconds(1))
          seconds.append(scheduler.elapsed.magnitude / 1_000_000_000)
        }
      }
      let three = Task { @MainActor in await scheduler.advance(by: .seconds(3)) }
      await scheduler.advance(by: .seconds(5))
      await three.value
      #expect(seconds == [1, 2, 3, 4, 5])
      #expect(scheduler.elapsed == .seconds(5))
    }
  }

  @MainActor
  @Test func `an awaited advance reaches its target even if its task is cancelled`() async {
    let clock = TestClock()
    var count = 0
    let mover = Task { @MainActor in await clock.advance(by: .seconds(3)) }
    Task { @MainActor in
      for _ in 1...3 {
        try await clock.sleep(for: .seconds(1))
        count += 1
        mover.cancel()
      }
    }
    await mover.value
    #expect(count == 3)
    #expect(clock.now.offset == .seconds(3))
  }

  @Test func `a task of another timeline advances this one without leaving its own`() throws {
    let (outer, inner) = (DispatchQueue.test, DispatchQueue.test)
    let log = Log<Int>()
    try outer.run {
      Task(on: outer) {
        for second in 1...3 {
          try await inner.sleep(for: .seconds(1))
          log.append(second)
        }
      }
      await inner.advance(by: .seconds(3))
    }
    #expect(log.all == [1, 2, 3])
  }

  @MainActor
  @Test func `a woken task that cannot continue does not block an awaited advance`() async {
    let (clock, other) = (TestClock(), DispatchQueue.test)
    let log = Log<Int>()
    Task(on: other) {
      try await clock.sleep(for: .seconds(1))
      log.append(1)
    }
    other.schedule {}
    moveOn(other)
    await clock.advance(by: .seconds(5))
    #expect(log.all == [])
    #expect(clock.now.offset == .seconds(5))
    moveOn(other)
    #expect(log.all == [1])
  }

  private func moveOn(_ scheduler: TestSchedulerOf<DispatchQueue>) { scheduler.advance() }

  // MARK: Tasks that do not come to rest

  @MainActor
  @Test func `a task that schedules work at one instant without end is reported`() async {
    let scheduler = DispatchQueue.test
    scheduler.maximumActionsPerInstant = 500
    let task = Task { @MainActor in
      while !Task.isCancelled {
        scheduler.schedule {}
        await Task.yield()
      }
    }
    let (line, issues) = await IssueReporter.withCapture {
      await scheduler.advance(by: .seconds(1))
      return #line - 1 as UInt
    }
    task.cancel()
    #expect(issues.map(\.line) == [line])
    #expect(issues.first?.message.contains(" after 500 actions at that instant, because") == true)
    #expect(scheduler.elapsed == 0)
  }

  @MainActor
  @Test func `a task that schedules and cancels work at one instant without end is reported`() async {
    let scheduler = DispatchQueue.test
    scheduler.maximumActionsPerInstant = 500
    let task = Task { @MainActor in
      while !Task.isCancelled {
        scheduler.scheduleOnce(after: scheduler.now.advanced(by: 9), tolerance: .zero, options: nil) {}.cancel()
        await Task.yield()
      }
    }
    let (_, issues) = await IssueReporter.withCapture { await scheduler.advance(by: .seconds(1)) }
    task.cancel()
    #expect(issues.count == 1)
    #expect(issues.first?.message.contains("never become idle") == true)
    #expect(scheduler.elapsed == 0)
  }

  @MainActor
  @Test func `a task that only yields does not block an awaited advance`() async {
    let clock = TestClock()
    let task = Task { @MainActor in while !Task.isCancelled { await Task.yield() } }
    await clock.advance(by: .seconds(1))
    #expect(clock.now.offset == .seconds(1))
    task.cancel()
  }

  @Test func `a task that only yields on the caller's actor does not block an awaited advance`() async {
    actor Caller {
      func moveOn(_ clock: TestClock<Duration>) async {
        let task = Task {
          while !Task.isCancelled { await Task.yield() }
          _ = self
        }
        await clock.advance(by: .seconds(1))
        task.cancel()
      }
    }
    let clock = TestClock()
    await Caller().moveOn(clock)
    #expect(clock.now.offset == .seconds(1))
  }

  @Test func `an awaited advance does not wait for a main actor that is blocked by its caller`() async {
    let clock = TestClock()
    await MainActor.run {
      let isDone = DispatchSemaphore(value: 0)
      Task.detached {
        await clock.advance(by: .seconds(1))
        isDone.signal()
      }
      #expect(waits(for: isDone))
    }
    #expect(clock.now.offset == .seconds(1))
  }

  private nonisolated func waits(for semaphore: DispatchSemaphore) -> Bool {
    semaphore.wait(timeout: .hang) == .success
  }
}
