import Dispatch
import Foundation
import StreamTesting
import Testing

/// Assertions of Swift Testing inside a run.
@Suite
struct ExploreAssertionTests {
  /// The issues that Swift Testing would report.
  private func recorded(_ body: @escaping @Sendable () async throws -> Void) async throws -> [Issue] {
    let log = Log<Issue>()
    let trait = IssueHandlingTrait.compactMapIssues { issue in
      log.append(issue)
      return nil
    }
    try await trait.provideScope(for: #require(Test.current), testCase: Test.Case.current, performing: body)
    return log.all
  }

  private static func orderOfTasks(_ order: RunOrder) -> [Int] {
    let scheduler = DispatchQueue.test(order: order)
    let log = Log<Int>()
    for number in 0..<3 { Task(on: scheduler) { log.append(number) } }
    scheduler.advance()
    return log.all
  }

  private func text(_ issue: Issue?) -> String { issue?.comments.map(\.rawValue).joined(separator: "\n") ?? "" }

  @Test func `a failed expectation is recorded once, at its own line, with the smallest order`() async throws {
    let failures = Log<ExploredFailure>()
    let runs = Log<Int>()
    let line = #line + 5
    let issues = try await recorded {
      let failure = explore(runs: 100) { order in
        runs.append(1)
        let tasks = Self.orderOfTasks(order)
        #expect(tasks.first != 2)
      }
      failures.append(try #require(failure))
    }
    let failure = try #require(failures.all.first)
    #expect(failure.order == .script([2]))
    #expect(issues.count == 1)
    #expect(issues.first?.sourceLocation?.line == line)
    #expect(text(issues.first).contains("Run \(failure.run) failed in the order .script([2])."))
    #expect(
      text(issues.first).contains("The order was found as \(failure.firstOrder.replayString) and made smaller in"))
    #expect(text(issues.first).contains("1 of 2 choices differs"))
    #expect(
      text(issues.first).contains("- at 0 s, of 3 that could run, a job (number 2) ran before a job (number 0)"))
    #expect(text(issues.first).contains("STREAMS_ORDER=script-2"))
    #expect(failure.reason.contains("Expectation failed"))
    #expect(runs.all.count > failure.run + 1)
  }

  @Test func `a known issue around the exploration does not hide that a smaller order fails`() {
    let failures = Log<ExploredFailure>()
    withKnownIssue {
      let failure = explore(runs: 100) { order in #expect(Self.orderOfTasks(order).first != 2) }
      if let failure { failures.append(failure) }
    }
    #expect(failures.all.map(\.order) == [.script([2])])
  }

  @Test func `warnings of runs that make an order smaller are not recorded`() async throws {
    let counts = Log<Int>()
    let issues = try await recorded {
      let failure = explore(runs: 100) { order in
        counts.append(1)
        let tasks = Self.orderOfTasks(order)
        Issue.record("odd", severity: .warning)
        #expect(tasks != [2, 1, 0])
      }
      counts.append(1000 * (failure?.run ?? 0))
    }
    let run = try #require(counts.all.last) / 1000
    #expect(issues.count { text($0) == "odd" } == run + 1)
    #expect(counts.all.count - 1 > run + 1)
  }

  @Test func `all failures of the failing run are recorded, and no further run starts`() async throws {
    let runs = Log<Int>()
    let issues = try await recorded {
      explore(runs: 5) { _ in
        runs.append(1)
        #expect(runs.all.isEmpty)
        Issue.record("more")
      }
    }
    #expect(runs.all.count == 1)
    #expect(issues.count == 2)
    #expect(issues.allSatisfy { text($0).contains("Run 1 failed in the order .fifo") })
  }

  @Test func `a failed requirement is recorded once`() async throws {
    let issues = try await recorded {
      explore(runs: 5) { _ in try #require(Bool(false)) }
    }
    #expect(issues.count == 1)
    #expect(text(issues.first).contains("Run 1 failed in the order .fifo"))
  }

  @Test func `an expectation that fails in one order of exploreAll is recorded once, with the script`() async throws {
    let explorations = Log<Exploration>()
    let issues = try await recorded {
      explorations.append(exploreAll { order in #expect(Self.orderOfTasks(order) != [2, 1, 0]) })
    }
    #expect(issues.count == 1)
    let failure = try #require(explorations.all.first?.failure)
    #expect(Self.orderOfTasks(failure.order) == [2, 1, 0])
    #expect(text(issues.first).contains("\(failure.order)"))
  }

  @Test func `a known issue inside a run does not fail it`() async throws {
    let runs = Log<Int>()
    let outcomes = Log<Bool>()
    _ = try await recorded {
      let failure = explore(runs: 5) { _ in
        runs.append(1)
        withKnownIssue { Issue.record("known") }
      }
      outcomes.append(failure == nil)
    }
    #expect(runs.all.count == 5)
    #expect(outcomes.all == [true])
  }

  @Test func `a failing exploration may be a known issue`() {
    let runs = Log<Int>()
    withKnownIssue {
      explore(runs: 5) { _ in
        runs.append(1)
        Issue.record("known")
      }
    }
    #expect(runs.all.count == 1)
  }

  @Test func `a warning does not fail a run`() async throws {
    let issues = try await recorded {
      explore(runs: 3) { _ in Issue.record("odd", severity: .warning) }
    }
    #expect(issues.map(text) == ["odd", "odd", "odd"])
  }

  @Test func `an expectation that fails in a main-actor world is recorded once`() async throws {
    let issues = try await recorded {
      await MainActor.run {
        var runs = 0
        explore(runs: 5) { order in
          runs += 1
          let scheduler = DispatchQueue.test(order: order)
          scheduler.withVirtualWorld {
            var isDone = false
            Task {
              try await scheduler.sleep(for: 1)
              isDone = true
            }
            scheduler.advance(by: 1)
            #expect(!isDone)
          }
        }
        #expect(runs == 1)
      }
    }
    #expect(issues.count == 1)
    #expect(text(issues.first).contains("Run 1 failed in the order .fifo"))
  }

  @Test(.ownThread) func `an expectation that fails on a test's own thread is recorded once`() async throws {
    let issues = try await recorded {
      explore(runs: 5) { _ in #expect(Bool(false)) }
    }
    #expect(issues.count == 1)
    #expect(text(issues.first).contains("Run 1 failed in the order .fifo"))
  }

  @Test(.virtualWorld) func `an expectation that fails in a test with the virtual-world trait is recorded once`()
    async throws
  {
    let issues = try await recorded {
      explore(runs: 5) { order in #expect(Self.orderOfTasks(order) == []) }
    }
    #expect(issues.count == 1)
    #expect(text(issues.first).contains("Run 1 failed in the order .fifo"))
  }

  @Test func `other issues reported in the failing run are recorded too`() async throws {
    let issues = try await recorded {
      explore(runs: 5) { order in
        DispatchQueue.test(order: order).expect(Just(1), "(2|)")
        #expect(Bool(false))
      }
    }
    #expect(issues.count == 2)
    #expect(issues.allSatisfy { text($0).contains("Run 1 failed in the order .fifo") })
    #expect(text(issues.last).contains("The stream's events differ"))
  }

  @Test func `an exploration runs on the caller's thread and sees its task-local values`() {
    let value = Surrounding.$number.withValue(7) {
      var seen: [Int] = []
      explore(runs: 3) { _ in seen.append(Surrounding.number) }
      return seen
    }
    #expect(value == [7, 7, 7])
  }

  @Test func `outside a test, a thrown error fails a run`() async {
    let messages = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let (failure, issues) = IssueReporter.withCapture { explore(runs: 3) { _ in throw CancellationError() } }
        continuation.resume(returning: [failure?.description] + issues.map(\.message))
      }
    }
    let message = """
      Run 1 failed in the order .fifo: CancellationError()
      Set STREAMS_ORDER=fifo to repeat this run alone.
      """
    #expect(messages == [message, message])
  }
}

private enum Surrounding {
  @TaskLocal static var number = 0
}
