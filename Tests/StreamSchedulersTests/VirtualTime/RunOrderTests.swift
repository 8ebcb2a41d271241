import Dispatch
import StreamTesting
import Streams
import Testing

@testable import StreamSchedulers

// `@testable`: the text and the decisions of an order, of which a run shows only the result.

@Suite
struct RunOrderTests {
  // MARK: Strings

  @Test(arguments: [
    (RunOrder.fifo, "fifo"), (.shuffled(seed: 7), "shuffled-7"),
    (.prioritized(seed: .max), "prioritized-\(UInt64.max)"),
    (.script([]), "script-"), (.script([0]), "script-0"), (.script([0, 2, 1]), "script-0.2.1"),
    (.script([0, 0, 3, 0, 0, 0]), "script-z2.3.z3"), (.script([12, -1]), "script-12.-1"),
  ])
  func `an order is created again from its string`(_ order: RunOrder, _ text: String) {
    #expect(order.replayString == text)
    #expect(RunOrder(replaying: text) == order)
  }

  @Test(arguments: [
    "", "-", "Fifo", "fifo-", "fifo-1", "shuffled", "shuffled-", "shuffled--1", "shuffled-1.2", "prioritized-x",
    "script",
    "script-.", "script-1.", "script-a", "script-z", "script-z-1", "script-1 2", "script-z1000001", "script-z1000000.1",
    "script-z1000000.z1", "script-z9223372036854775807.z9223372036854775807", "sort-1",
  ])
  func `another string is no order`(_ text: String) {
    #expect(RunOrder(replaying: text) == nil)
  }

  @Test func `long scripts have short strings`() {
    let order = RunOrder.script(Array(repeating: 0, count: 1_000_000))
    #expect(order.replayString == "script-z1000000")
    #expect(RunOrder(replaying: "script-z1000000") == order)
    #expect(RunOrder(replaying: "script-z0.1") == .script([1]))
  }

  @Test func `an order is described as source code`() {
    #expect(RunOrder.prioritized(seed: 3).description == ".prioritized(seed: 3)")
    #expect(RunOrder.prioritized(seed: 3) != .shuffled(seed: 3))
    #expect(Set([RunOrder.prioritized(seed: 3), .prioritized(seed: 3), .prioritized(seed: 4)]).count == 2)
  }

  // MARK: Orders

  private func orderOfTasks(_ count: Int, _ order: RunOrder) -> [Int] {
    let scheduler = DispatchQueue.test(order: order)
    let log = Log<Int>()
    for number in 0..<count { Task(on: scheduler) { log.append(number) } }
    scheduler.advance()
    return log.all
  }

  /// These numbers must never change, because seeds are written down.
  @Test func `a seed gives the same order in every version and on every machine`() {
    #expect(orderOfTasks(9, .shuffled(seed: 7)) == [3, 5, 0, 6, 8, 2, 4, 1, 7])
    #expect(orderOfTasks(9, .prioritized(seed: 7)) == [5, 6, 1, 7, 4, 3, 8, 2, 0])
  }

  @Test func `every order of tasks is prioritized in some run`() {
    #expect(Set((1...100).map { orderOfTasks(3, .prioritized(seed: $0)) }).count == 6)
  }

  /// The number of prioritized orders in which a task takes all of its steps while another one waits.
  private func overtakings(_ steps: Int, of seeds: ClosedRange<UInt64>, _ order: (UInt64) -> RunOrder) -> Int {
    seeds.count { seed in
      let scheduler = DispatchQueue.test(order: order(seed))
      let log = Log<Int>()
      Task(on: scheduler) { log.append(0) }
      Task(on: scheduler) {
        for _ in 1..<steps { await Task.yield() }
        log.append(1)
      }
      scheduler.advance()
      return log.all == [1, 0]
    }
  }

  @Test func `a task takes all of its steps while another waits, once in a few prioritized orders`() {
    // The probability is at least 1/21, and higher for the seeds that keep priorities.
    #expect(overtakings(20, of: 1...400) { .prioritized(seed: $0) } > 400 / 21)
    #expect(overtakings(20, of: 1...400) { .shuffled(seed: $0) } == 0)
  }

  @Test func `timers, barriers, serial work and nested calls keep their order in prioritized orders`() throws {
    for seed in 1...30 as ClosedRange<UInt64> {
      let scheduler = DispatchQueue.test(order: .prioritized(seed: seed))
      let log = Log<Int>()
      for number in 0..<3 { scheduler.schedule { log.append(number) } }
      let timer = scheduler.schedule(after: scheduler.now.advanced(by: .seconds(1)), interval: .seconds(1)) {
        log.append(10)
        scheduler.schedule { log.append(11) }
        scheduler.advance()
      }
      #expect(scheduler.step())
      scheduler.schedule { log.append(3) }
      scheduler.advance(by: .seconds(2))
      timer.cancel()
      #expect(log.all == [0, 1, 2, 3, 10, 11, 10, 11])
      try scheduler.run {
        for _ in 0..<3 { Task(on: scheduler) { log.append(20) } }
        await scheduler.advance()
        log.append(21)
      }
      #expect(log.all.suffix(4) == [20, 20, 20, 21])
    }
  }

  // MARK: Priorities

  /// Indicates whether two actions have the same priority.
  private func areEqual(_ priorities: Priorities, _ one: Int, _ other: Int) -> Bool {
    priorities.highest(of: [one, other]) == 0 && priorities.highest(of: [other, one]) == 0
  }

  @Test func `an action passes its priority on to the first action that it arms, except at change points`() {
    var keptCounts: [Int] = []
    var wronglyKeptCount = 0
    for seed in 0..<300 as Range<UInt64> {
      var priorities = Priorities(seed: seed)
      priorities.arm()
      var keptCount = 0
      for number in 0..<64 {
        priorities.run(2 * number)
        // The first is the continuation, the second another action.
        if number > 0, areEqual(priorities, 2 * number, 2 * number - 1) { wronglyKeptCount += 1 }
        priorities.arm()
        priorities.arm()
        let isKept = areEqual(priorities, 2 * number, 2 * number + 1)
        if areEqual(priorities, 2 * number, 2 * number + 2) { wronglyKeptCount += 1 }
        keptCount += isKept ? 1 : 0
        // An action that nothing running arms has a priority of its own.
        priorities.run(nil)
      }
      keptCounts.append(keptCount)
    }
    #expect(wronglyKeptCount == 0)
    // A sixth of all seeds keeps no priority, and a sixth keeps most.
    #expect((20...90).contains(keptCounts.count { $0 == 0 }))
    #expect((20...120).contains(keptCounts.count { $0 > 58 }))
    #expect((20...90).contains(keptCounts.count { (24...40).contains($0) }))
  }

  @Test func `actions that nothing arms have different priorities`() {
    var priorities = Priorities(seed: 1)
    priorities.arm()
    priorities.run(0)
    priorities.run(nil)
    priorities.arm()
    #expect(!areEqual(priorities, 0, 1))
    priorities.run(1 | ActionTable.barrier)
  }

  @Test func `an action that repeats keeps its priority, and passes it on`() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      var once = try #require(OrderChooser(.prioritized(seed: seed)))
      var repeating = once
      once.arm(0)
      repeating.arm(0)
      for sequence in 1..<6 {
        once.run(0)
        once.arm(sequence)
        repeating.run(0)
        repeating.arm(0)
        repeating.arm(sequence)
      }
      for first in 0..<6 {
        for second in 0..<6 {
          #expect(once.choose(among: [first, second]) == repeating.choose(among: [first, second]))
        }
      }
    }
  }

  // MARK: Records

  @Test func `a record contains every choice, and describes those that are not the first`() {
    let record = ChoiceRecord()
    let scheduler = DispatchQueue.test(order: RunOrder(.script([2, 0]), record: record))
    for _ in 0..<4 { Task(on: scheduler) {} }
    scheduler.advance()
    #expect(record.all.map(\.index) == [2, 0, 0])
    #expect(record.all.map(\.count) == [4, 3, 2])
    #expect(
      record.deviations == [
        "at 0 s, of 4 that could run, a job (number 2) ran before a job (number 0)"
      ])
  }

  @Test func `choices in a row that let the same action wait are described together`() {
    let record = ChoiceRecord()
    let scheduler = DispatchQueue.test(order: RunOrder(.script([1, 1, 0, 1]), record: record))
    for _ in 0..<6 { Task(on: scheduler) {} }
    scheduler.advance()
    #expect(
      record.deviations == [
        "at 0 s, of 6 that could run, a job (number 1) and 1 more ran before a job (number 0)",
        "at 0 s, of 3 that could run, a job (number 4) ran before a job (number 3)",
      ])
  }

  /// The choices of a run that are not zero.
  private func deviations(
    _ script: [Int], _ prepare: (TestSchedulerOf<DispatchQueue>) -> (any Cancellable)?
  ) -> [String] {
    let record = ChoiceRecord()
    let scheduler = DispatchQueue.test(order: RunOrder(.script(script), record: record))
    let timer = prepare(scheduler)
    scheduler.advance(by: .seconds(1))
    timer?.cancel()
    return record.deviations
  }

  @Test func `a record describes closures with the line that scheduled them, if it is known`() {
    let line = #line + 2
    let texts = deviations([1]) { scheduler in
      let timer = scheduler.schedule(after: scheduler.now, interval: .seconds(2)) {}
      Task(on: scheduler) {}
      return timer
    }
    #expect(
      texts == [
        "at 0 s, of 2 that could run, a job (number 1) ran before a scheduled closure (number 0, "
          + "armed at RunOrderTests.swift:\(line))"
      ])
  }

  @Test func `a record describes jobs of serial executors, and ends of sleeps`() {
    let serial = deviations([0, 1]) { scheduler in
      for _ in 0..<2 {
        let actor = Isolated(scheduler.makeSerialExecutor())
        Task(on: scheduler) { await actor.work() }
      }
      return nil
    }
    #expect(serial == ["at 0 s, of 2 that could run, a serial executor's job (number 2) ran before a job (number 1)"])
    let sleeps = deviations([0, 1]) { scheduler in
      for _ in 0..<2 { Task(on: scheduler) { try await scheduler.sleep(for: .seconds(1)) } }
      return nil
    }
    #expect(
      sleeps == [
        "at 1 s, of 2 that could run, the end of a sleep (number 3) ran before the end of a sleep (number 2)"
      ])
  }

  @MainActor
  @Test func `a record describes jobs of the main actor`() {
    let texts = deviations([1]) { scheduler in
      scheduler.withVirtualWorld {
        Task.detached {}
        Task { @MainActor in }
        scheduler.advance()
      }
      return nil
    }
    #expect(texts == ["at 0 s, of 2 that could run, a main-actor job (number 1) ran before a job (number 0)"])
  }

  @Test func `a record names tasks that have scheduled something`() {
    let record = ChoiceRecord()
    let scheduler = DispatchQueue.test(order: RunOrder(.script([1]), record: record))
    for name in ["one", "two"] {
      Task(name: name, executorPreference: scheduler.taskExecutor) { await Task.yield() }
    }
    scheduler.advance()
    #expect(
      record.deviations == [
        "at 0 s, of 2 that could run, a job of task \"two\" (number 1) ran before a job of task \"one\" (number 0)"
      ])
  }

  @Test func `what is scheduled between two calls is not taken for work of the last action`() async {
    let record = ChoiceRecord()
    let scheduler = DispatchQueue.test(order: RunOrder(.script([1]), record: record))
    for _ in 0..<2 { Task(on: scheduler) {} }
    await Task(name: "test") {
      let advance = { scheduler.advance(by: .zero) }
      advance()
      scheduler.schedule {}
    }.value
    #expect(record.deviations == ["at 0 s, of 2 that could run, a job (number 1) ran before a job (number 0)"])
  }

  @Test func `a usual order keeps a record, if it is wanted`() {
    let record = ChoiceRecord()
    #expect(orderOfTasks(3, RunOrder(.fifo, record: record)) == [0, 1, 2])
    #expect(record.all.map(\.count) == [3, 2])
    #expect(record.deviations.isEmpty)
    #expect(OrderChooser(.fifo) == nil)
  }
}

private actor Isolated {
  private let executor: VirtualSerialExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ executor: VirtualSerialExecutor) { self.executor = executor }

  func work() {}
}
