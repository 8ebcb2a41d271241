import Dispatch
import StreamSchedulers
import Streams
import Testing

@testable import StreamTesting

// `@testable`: the orders that an environment asks for, which otherwise is that of the whole process.

@Suite
struct ExploreTests {
  private struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  /// The order in which three tasks run that are started together.
  private func orderOfTasks(_ order: RunOrder) -> [Int] {
    let scheduler = DispatchQueue.test(order: order)
    let log = Log<Int>()
    for number in 0..<3 { Task(on: scheduler) { log.append(number) } }
    scheduler.advance()
    return log.all
  }

  // MARK: Orders

  @Test func `tasks run in the order in which they were started, or in the order given`() {
    #expect(orderOfTasks(.fifo) == [0, 1, 2])
    #expect(orderOfTasks(.script([2, 1])) == [2, 1, 0])
    #expect(orderOfTasks(.script([1])) == [1, 0, 2])
    #expect(orderOfTasks(.script([9, -1])) == [0, 1, 2])
    #expect(Set((1...50).map { orderOfTasks(.shuffled(seed: $0)) }).count == 6)
  }

  @Test func `the same seed gives the same order`() {
    for seed in 1...20 as ClosedRange<UInt64> {
      #expect(orderOfTasks(.shuffled(seed: seed)) == orderOfTasks(.shuffled(seed: seed)))
    }
  }

  @Test func `scheduled closures keep their order in every run`() {
    for seed in 1...50 as ClosedRange<UInt64> {
      let scheduler = DispatchQueue.test(order: .shuffled(seed: seed))
      var log: [Int] = []
      for number in 0..<5 { scheduler.schedule { log.append(number) } }
      let timers = [1, 2].map { interval in
        scheduler.schedule(after: scheduler.now.advanced(by: .seconds(interval)), interval: .seconds(interval)) {
          log.append(10 * interval)
        }
      }
      scheduler.advance(by: 2)
      #expect(log == [0, 1, 2, 3, 4, 10, 10, 20])
      for timer in timers { timer.cancel() }
      scheduler.assertIdle()
    }
  }

  @Test func `jobs of a serial executor keep their order in every run`() {
    actor Recorder {
      private let executor: VirtualSerialExecutor
      nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
      private(set) var numbers: [Int] = []

      init(_ executor: VirtualSerialExecutor) { self.executor = executor }

      nonisolated func start(_ count: Int) {
        for number in 0..<count { Task { await self.append(number) } }
      }

      private func append(_ number: Int) { numbers.append(number) }
      func startInside(_ count: Int) { for number in 0..<count { Task { numbers.append(number) } } }
    }
    for seed in 1...20 as ClosedRange<UInt64> {
      let scheduler = DispatchQueue.test(order: .shuffled(seed: seed))
      let recorder = Recorder(scheduler.makeSerialExecutor())
      let log = Log<[Int]>()
      Task(on: scheduler) {
        await recorder.startInside(5)
        try await scheduler.sleep(for: 1)
        log.append(await recorder.numbers)
      }
      scheduler.advance(by: 1)
      #expect(log.all == [[0, 1, 2, 3, 4]])
    }
  }

  @Test func `a barrier returns after all other work in every run`() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let scheduler = DispatchQueue.test(order: .shuffled(seed: seed))
      let log = Log<Int>()
      try scheduler.run {
        for number in 0..<3 {
          Task(on: scheduler) {
            await Task.yield()
            log.append(number)
          }
        }
        await scheduler.advance()
        log.append(3)
      }
      #expect(log.all.last == 3)
      #expect(log.all.count == 4)
    }
  }

  // MARK: Exploring

  @Test func `the first failing run is reported with its seed and can be repeated`() throws {
    let line = #line + 2 as UInt
    let (failure, issues) = IssueReporter.withCapture {
      explore(runs: 100) { order in
        let tasks = orderOfTasks(order)
        if tasks == [2, 1, 0] { throw Wrong(description: "backwards") }
      }
    }
    let found = try #require(failure)
    #expect(found.run > 1)
    #expect(found.reason == "backwards")
    #expect(orderOfTasks(found.order) == [2, 1, 0])
    #expect(issues.map(\.line) == [line])
    #expect(issues.first?.message == found.description)
    #expect(found.firstOrder != found.order)
    #expect(found.description.contains("Set STREAMS_ORDER=\(found.order.replayString) to repeat this run alone."))
  }

  @Test func `an issue reported in a run fails it`() {
    let (failure, issues) = IssueReporter.withCapture {
      explore(runs: 3) { order in DispatchQueue.test(order: order).expect(Just(1), "(2|)") }
    }
    #expect(failure?.order == .fifo)
    #expect(failure?.reason.hasPrefix("The stream's events differ") == true)
    #expect(issues.count == 1)
  }

  private let here = CodeLocation(fileID: "Tests/Here.swift", filePath: "Here.swift", line: 1, column: 1)

  private func orders(_ runs: Int, _ environment: [String: String] = [:]) -> [RunOrder] {
    exploredOrders(runs: runs, seed: 5, environment: environment, at: here)
  }

  @Test func `the first run has the usual order, and the others shuffled and prioritized ones in turn`() {
    #expect(
      orders(6) == [
        .fifo, .shuffled(seed: 5), .prioritized(seed: 5), .shuffled(seed: 6), .prioritized(seed: 6), .shuffled(seed: 7),
      ])
    #expect(orders(0) == [.fifo])
  }

  @Test func `environment variables select a single seed or a single order`() {
    #expect(orders(3, ["STREAMS_SEED": "9"]) == [.shuffled(seed: 9)])
    #expect(orders(1, ["STREAMS_SEED": "nine"]) == [.fifo])
    #expect(orders(3, ["STREAMS_ORDER": "script-z2.1", "STREAMS_SEED": "9"]) == [.script([0, 0, 1])])
    #expect(orders(3, ["STREAMS_ORDER": "fifo"]) == [.fifo])
    #expect(orders(1, ["STREAMS_ORDER": ""]) == [.fifo])
  }

  @Test func `an order in the environment that cannot be read is reported, and all orders are explored`() {
    let (found, issues) = IssueReporter.withCapture { orders(2, ["STREAMS_ORDER": "script-x"]) }
    #expect(found == [.fifo, .shuffled(seed: 5)])
    #expect(issues.map(\.line) == [1])
    #expect(issues.first?.message.hasPrefix("STREAMS_ORDER is \"script-x\", which is not an order") == true)
  }

  @Test func `a selected order is the only one that is run, and is not made smaller`() throws {
    var seen: [[Int]] = []
    let (found, issues) = IssueReporter.withCapture {
      explore([.script([2, 1])], at: here) { order in
        seen.append(orderOfTasks(order))
        throw Wrong(description: "wrong")
      }
    }
    #expect(seen == [[2, 1, 0]])
    #expect(found?.order == .script([2, 1]))
    #expect(issues.count == 1)
  }

  @Test func `exploreAll runs only a selected order`() {
    var seen: [[Int]] = []
    let (passed, issues) = IssueReporter.withCapture {
      exploreAll(limit: 9, selected: .script([2]), at: here) { seen.append(orderOfTasks($0)) }
    }
    #expect(seen == [[2, 0, 1]])
    #expect(!passed.isComplete && passed.runs == 1 && passed.failure == nil)
    #expect(issues.isEmpty)
    let (failed, _) = IssueReporter.withCapture {
      exploreAll(limit: 9, selected: .fifo, at: here) { _ in throw Wrong(description: "wrong") }
    }
    #expect(failed.isComplete && failed.failure?.order == .fifo)
  }

  @Test func `runs that do not fail report nothing`() {
    var count = 0
    #expect(explore(runs: 7) { _ in count += 1 } == nil)
    #expect(count == 7)
  }

  @Test func `exploreAll tries every order once`() {
    var seen: [[Int]] = []
    let exploration = exploreAll { seen.append(orderOfTasks($0)) }
    #expect(seen.count == 6)
    #expect(Set(seen).count == 6)
    #expect(exploration.runs == 6)
    #expect(exploration.isComplete)
    #expect(exploration.failure == nil)
  }

  @Test func `exploreAll finds a rare order and can repeat it`() throws {
    func waits(_ order: RunOrder) -> [Int] {
      let scheduler = DispatchQueue.test(order: order)
      let log = Log<Int>()
      for number in 0..<2 {
        Task(on: scheduler) {
          for _ in 0..<3 {
            log.append(number)
            await Task.yield()
          }
        }
      }
      scheduler.advance()
      return log.all
    }
    let rare = [1, 0, 0, 1, 0, 1]
    let (exploration, issues) = IssueReporter.withCapture {
      exploreAll { order in if waits(order) == rare { throw Wrong(description: "rare") } }
    }
    let failure = try #require(exploration.failure)
    #expect(waits(failure.order) == rare)
    #expect(issues.count == 1)
    #expect(failure.description.contains(".script(["))
  }

  @Test func `exceeding the limit of orders is reported`() {
    let (exploration, issues) = IssueReporter.withCapture { exploreAll(limit: 3) { _ = orderOfTasks($0) } }
    #expect(!exploration.isComplete)
    #expect(
      issues.map(\.message) == [
        "The scenario has more than 3 orders, and the others weren't tried. Make the scenario smaller."
      ])
  }

  // MARK: Bugs that the default order hides

  @Test func `finds an overdraft of a reentrant actor and repeats it`() throws {
    let (failure, _) = IssueReporter.withCapture { explore(runs: 200, overdraft) }
    let found = try #require(failure)
    #expect(found.order != .fifo)
    #expect(found.reason == "the balance is -20")
    for _ in 0..<10 { #expect(throws: Wrong.self) { try overdraft(found.order) } }
  }

  /// Two tasks each withdraw 60 of 100; the account checks its balance before it suspends, and not again afterward.
  private func overdraft(_ order: RunOrder) throws {
    actor Account {
      private(set) var balance = 100

      func withdraw(_ amount: Int, _ confirm: @Sendable () async -> Void) async {
        guard balance >= amount else { return }
        await confirm()
        balance -= amount
      }
    }
    let scheduler = DispatchQueue.test(order: order)
    let account = Account()
    for delay in 1...2 {
      Task(on: scheduler) {
        try await scheduler.sleep(for: .seconds(1))
        // The second is slower, so that in the default order it arrives when the first is done.
        for _ in 1..<(delay * delay * delay) { await Task.yield() }
        await account.withdraw(60) { await Task.yield() }
      }
    }
    let balances = Log<Int>()
    Task(on: scheduler) {
      try await scheduler.sleep(for: .seconds(2))
      balances.append(await account.balance)
    }
    scheduler.run()
    if let balance = balances.all.first, balance < 0 { throw Wrong(description: "the balance is \(balance)") }
  }
}

/// A search whose older answer may arrive after the newer one.
@MainActor
@Suite
struct StaleSearchTests {
  @Test func `finds a stale answer and repeats it`() throws {
    let (failure, _) = IssueReporter.withCapture { explore(runs: 200, search) }
    let found = try #require(failure)
    #expect(found.order != .fifo)
    for _ in 0..<10 { #expect(throws: StaleAnswer.self) { try search(found.order) } }
  }

  private struct StaleAnswer: Error {}

  @MainActor
  private final class Model {
    private(set) var results = ""

    /// Does not cancel the previous search.
    func search(_ query: String, _ scheduler: TestSchedulerOf<DispatchQueue>) {
      Task {
        try await scheduler.sleep(for: 1)
        results = await Task.detached { query.uppercased() }.value
      }
    }
  }

  private func search(_ order: RunOrder) throws {
    let scheduler = DispatchQueue.test(order: order)
    try scheduler.withVirtualWorld {
      let model = Model()
      model.search("s", scheduler)
      model.search("st", scheduler)
      scheduler.advance(by: 1)
      if model.results != "ST" { throw StaleAnswer() }
    }
  }
}
