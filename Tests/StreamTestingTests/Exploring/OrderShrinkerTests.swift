import Dispatch
import Streams
import Testing

@testable import StreamSchedulers
@testable import StreamTesting

// `@testable`: shrinking by itself, with failures that no stream has.

@Suite
struct OrderShrinkerTests {
  /// Makes runs of a number of choices among three, which fail if a closure says so.
  private final class Runs {
    private(set) var scripts: [[Int]] = []
    let count: Int
    let fails: ([Int]) -> Bool

    init(_ count: Int, _ fails: @escaping ([Int]) -> Bool) {
      self.count = count
      self.fails = fails
    }

    func record(_ script: [Int]) -> ChoiceRecord {
      let record = ChoiceRecord()
      for position in 0..<count {
        let wanted = position < script.count ? script[position] : 0
        record.append(Choice(index: wanted < 3 ? wanted : 0, count: 3, deviation: nil))
      }
      return record
    }

    func shrunk(_ script: [Int]) -> OrderShrinker {
      var shrinker = OrderShrinker(record(script).all)
      shrinker.shrink { script in
        scripts.append(script)
        let record = record(script)
        return (record, fails(record.all.map(\.index)))
      }
      return shrinker
    }
  }

  @Test func `only the choices that matter are left`() {
    let runs = Runs(20) { $0[4] == 1 && $0[9] == 2 }
    let shrinker = runs.shrunk((0..<20).map { $0 == 4 ? 1 : 2 })
    #expect(shrinker.script == [0, 0, 0, 0, 1, 0, 0, 0, 0, 2])
    #expect(shrinker.runCount == runs.scripts.count)
    #expect(shrinker.record?.all.map(\.index).prefix(10) == shrinker.script[...])
    #expect(Set(runs.scripts).count == runs.scripts.count)
  }

  @Test func `choices become as small as possible`() {
    #expect(Runs(6) { $0[3] > 0 }.shrunk([2, 2, 2, 2]).script == [0, 0, 0, 1])
    #expect(Runs(6) { $0[3] == 2 }.shrunk([2, 2, 2, 2]).script == [0, 0, 0, 2])
  }

  @Test func `a single other choice is preferred to several`() {
    let runs = Runs(6) { $0[0] == 1 && $0[1] == 1 || $0 == [0, 0, 0, 0, 2, 0] }
    #expect(runs.shrunk([1, 1, 0, 1]).script == [0, 0, 0, 0, 2])
  }

  @Test func `a run that does not fail again is not made smaller`() {
    let runs = Runs(6) { _ in false }
    let shrinker = runs.shrunk([1, 2])
    #expect(shrinker.record == nil)
    #expect(runs.scripts == [[1, 2]])
  }

  @Test func `the number of runs is limited`() {
    let runs = Runs(1000) { !$0.contains(0) }
    let all = Array(repeating: 1, count: 1000)
    #expect(runs.shrunk(all).script == all)
    #expect(runs.scripts.count == OrderShrinker.maximumRuns)
    let slow = Runs(1000) { $0.count { $0 != 0 } > 500 }
    #expect(slow.shrunk(all).script.count { $0 != 0 } >= 501)
    #expect(slow.scripts.count == OrderShrinker.maximumRuns)
  }

  @Test func `runs that make many more choices end the attempt`() {
    var shrinker = OrderShrinker(Runs(4) { _ in true }.record([1, 1, 1, 1]).all)
    let long = Runs(10_000) { !$0.prefix(4).contains(0) }
    var count = 0
    shrinker.shrink { script in
      count += 1
      let record = long.record(script)
      return (record, long.fails(record.all.map(\.index)))
    }
    #expect(count == 3)
    #expect(shrinker.script == [1, 1, 1, 1])
  }

  @Test func `choices that are out of range become zero`() {
    let record = ChoiceRecord()
    for _ in 0..<3 { record.append(Choice(index: 4, count: 5, deviation: nil)) }
    var shrinker = OrderShrinker(record.all)
    let runs = Runs(3) { _ in true }
    shrinker.shrink { (runs.record($0), true) }
    #expect(shrinker.script == [])
    #expect(shrinker.runCount == 2)
  }

  // MARK: Explored runs

  private struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  private struct Other: Error {}

  private func orderOfTasks(_ order: RunOrder) -> [Int] {
    let scheduler = DispatchQueue.test(order: order)
    let log = Log<Int>()
    for number in 0..<5 { Task(on: scheduler) { log.append(number) } }
    scheduler.advance()
    return log.all
  }

  @Test func `an order of five tasks in which only two have to swap has a single choice that differs`() throws {
    var runs = 0
    let (failure, issues) = IssueReporter.withCapture {
      explore(runs: 100) { order in
        runs += 1
        let tasks = orderOfTasks(order)
        if let one = tasks.firstIndex(of: 1), let three = tasks.firstIndex(of: 3), three < one {
          throw Wrong(description: "three before one")
        }
      }
    }
    let found = try #require(failure)
    #expect(found.order == .script([3]) || found.order == .script([0, 2]))
    #expect(orderOfTasks(found.order) == [3, 0, 1, 2, 4] || orderOfTasks(found.order) == [0, 3, 1, 2, 4])
    #expect(issues.count == 1)
    #expect(issues.first?.message == found.description)
    #expect(found.description.contains("a job (number 3) ran before a job"))
    #expect(runs <= found.run + OrderShrinker.maximumRuns + 1)
  }

  @Test func `a smaller order that fails in another way does not count`() throws {
    let (failure, issues) = IssueReporter.withCapture {
      explore(runs: 200) { order in
        let tasks = orderOfTasks(order)
        if tasks.first == 0 { return }
        if tasks.prefix(2) == [4, 2] { throw Wrong(description: "two") }
        if tasks.last == 4 { throw Other() }
      }
    }
    let found = try #require(failure)
    #expect(issues.count == 1)
    if found.reason == "two" { #expect(orderOfTasks(found.order).prefix(2) == [4, 2]) }
    let (second, _) = IssueReporter.withCapture {
      explore([.fifo, .script([4, 2, 2, 1])], at: CodeLocation(fileID: "A/B.swift", filePath: "", line: 1, column: 1)) {
        let tasks = orderOfTasks($0)
        if tasks.prefix(2) == [4, 2] { throw Wrong(description: "two") }
        if tasks.first != 0 { throw Other() }
      }
    }
    #expect(second?.order == .script([4, 2]))
    #expect(second?.reason == "two")
    #expect(second?.firstOrder == .script([4, 2, 2, 1]))
    #expect(second?.run == 2)
  }

  @Test func `nothing that smaller runs report is seen, except by the last one`() {
    var count = 0
    let (failure, issues) = IssueReporter.withCapture {
      explore(runs: 100) { order in
        let tasks = orderOfTasks(order)
        guard tasks.first != 0 else { return }
        count += 1
        DispatchQueue.test.expect(Just(1), "(2|)")
      }
    }
    #expect(failure != nil)
    #expect(issues.count == 1)
    #expect(count > 2)
  }

  @Test func `a run that fails only once is reported, and that it does not fail again`() throws {
    var runs = 0
    let (failure, issues) = IssueReporter.withCapture {
      explore(runs: 5) { order in
        runs += 1
        _ = orderOfTasks(order)
        if runs == 2 { throw Wrong(description: "once") }
      }
    }
    let found = try #require(failure)
    #expect(found.order == .shuffled(seed: 1))
    #expect(found.reason == "once")
    #expect(issues.map(\.message) == [found.description])
    #expect(found.description.contains("It did not fail when it was repeated"))
    #expect(runs == 4)
  }

  @Test func `a run with several schedulers keeps its order or has one that fails`() throws {
    func fails(_ order: RunOrder) -> Bool {
      orderOfTasks(order).first == 2 && orderOfTasks(order).last == 0 && orderOfTasks(order) != [2, 1, 3, 4, 0]
    }
    let (failure, _) = IssueReporter.withCapture {
      explore(runs: 500) { order in if fails(order) { throw Wrong(description: "both") } }
    }
    let found = try #require(failure)
    #expect(fails(found.order))
  }

  @Test func `exploreAll makes the failing order smaller`() throws {
    let (exploration, issues) = IssueReporter.withCapture {
      exploreAll { order in
        let tasks = orderOfTasks(order)
        if let one = tasks.firstIndex(of: 1), let three = tasks.firstIndex(of: 3), three < one { throw Other() }
      }
    }
    let found = try #require(exploration.failure)
    #expect(found.order == .script([0, 2]) || found.order == .script([3]))
    #expect(found.reason == "Other()")
    #expect(issues.count == 1)
  }

  @Test func `a report has less than 40 lines`() {
    let long = Array(repeating: "line", count: 500).joined(separator: "\n")
    let (failure, _) = IssueReporter.withCapture {
      explore(runs: 2) { order in
        let scheduler = DispatchQueue.test(order: order)
        let log = Log<Int>()
        for number in 0..<40 { Task(on: scheduler) { log.append(number) } }
        scheduler.advance()
        if log.all.count(where: { $0 < 20 && log.all.firstIndex(of: $0) != $0 }) > 14 { throw Wrong(description: long) }
      }
    }
    let lines = failure?.description.split(separator: "\n", omittingEmptySubsequences: false) ?? []
    #expect((22..<40).contains(lines.count))
    #expect(lines.contains("… and 480 more lines"))
  }
}

/// Planted bugs, made smaller.
@MainActor
@Suite
struct SmallestOrderTests {
  private struct Shown: Error {}

  @Test(arguments: [PlantedBug.late, .early, .lost, .reset, .torn, .swapped, .alternating])
  func `the smallest order of a planted bug still shows it`(_ bug: PlantedBug) throws {
    var runs = 0
    let (failure, issues) = IssueReporter.withCapture {
      explore(runs: 1000) { order in
        runs += 1
        if bug.fails(order) { throw Shown() }
      }
    }
    let found = try #require(failure)
    #expect(bug.fails(found.order))
    #expect(issues.count == 1)
    #expect(runs <= found.run + OrderShrinker.maximumRuns + 1)
    #expect(found.description.split(separator: "\n").count < 40)
  }

  @Test func `a report names tasks and source lines`() throws {
    let line = #line + 6
    let (failure, _) = IssueReporter.withCapture {
      explore(runs: 50) { order in
        let scheduler = DispatchQueue.test(order: order)
        let log = Log<String>()
        let timer = scheduler.withVirtualWorld {
          let timer = scheduler.schedule(
            after: scheduler.now.advanced(by: .seconds(1)), interval: .seconds(1)
          ) { log.append("tick") }
          Task.detached(name: "writer") {
            try await scheduler.sleep(for: .seconds(1))
            await Task.yield()
            log.append("written")
          }
          scheduler.advance(by: .seconds(1))
          return timer
        }
        timer.cancel()
        if log.all == ["written", "tick"] { throw Shown() }
      }
    }
    let found = try #require(failure)
    #expect(found.description.contains("at 1 s, of 2 that could run, a job of task \"writer\" (number"))
    #expect(
      found.description.contains(
        "more ran before a scheduled closure (number 0, armed at OrderShrinkerTests.swift:\(line))"))
  }
}
