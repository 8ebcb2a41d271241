import Dispatch
import Foundation
import StreamTesting
import Testing

@Suite struct CheckTimelinesTests {
  typealias Stride = DispatchQueue.SchedulerTimeType.Stride

  @Test func `a property that holds is checked in as many runs as asked for`() {
    var count = 0
    let (failure, issues) = IssueReporter.withCapture {
      checkTimelines(of: .letters, runs: 50) { _, _ in count += 1 }
    }
    #expect(failure == nil)
    #expect(issues.isEmpty)
    #expect(count == 50)
  }

  @Test func `an error fails the check, which reports only the smallest run, at its own line`() throws {
    let line = UInt(#line + 2)
    let (found, issues) = IssueReporter.withCapture {
      checkTimelines(of: .letters.ending(.never)) { _, letters in
        if letters.events.count > 2 { throw TestError.first }
      }
    }
    let failure = try #require(found)
    #expect(failure.eventCount == 3)
    #expect(failure.reason == "first")
    #expect(failure.diagram == "letters  (aaa)")
    #expect(issues.map(\.line) == [line])
    #expect(issues.first?.message.hasPrefix("first\n\nRun \(failure.run) of 1000 fails (seed 1).") == true)
  }

  @Test func `an issue of this package fails the check, and the recorded streams are shown`() throws {
    let line = #line + 3
    let (found, issues) = IssueReporter.withCapture {
      checkTimelines(of: .letters.ending(.never)) { scheduler, letters in
        scheduler.expect(letters.prefix(1), behavesLike: letters)
      }
    }
    let failure = try #require(found)
    #expect(failure.reason.contains("differ from the expected events"))
    #expect(issues.count == 1)
    #expect(failure.diagram == "letters   a\nexpected  a\nactual    (a|)")
    #expect(issues.first?.line == UInt(line))
    #expect(issues.first?.message.hasPrefix("The stream's events differ from the expected events.") == true)
    #expect(failure.eventCount == 1)
  }

  @Test func `a failed expectation is recorded once, at its own line, with the timelines`() async throws {
    let line = #line + 3
    let issues = try await recorded {
      checkTimelines(of: .letters.ending(.never)) { _, letters in
        #expect(letters.events.count < 2)
        #expect(letters.events.count < 3)
      }
    }
    #expect(issues.map(\.sourceLocation?.line) == [line])
    let text = issues.first.map { $0.comments.map(\.rawValue).joined() } ?? ""
    #expect(text.contains("letters  (aa)"))
    #expect(text.contains("let letters = scheduler.hot(\"(aa)\")"))
  }

  @Test func `all assertions that fail in the smallest run are recorded, the first with the timelines`() async throws {
    let issues = try await recorded {
      checkTimelines(of: .letters) { _, letters in
        #expect(letters.events.isEmpty)
        try #require(letters.events.isEmpty)
      }
    }
    #expect(issues.count == 2)
    #expect(issues.map { $0.comments.map(\.rawValue).joined() }.last == "In the same run.")
  }

  @Test func `the test to paste has the arguments and the body of the closure`() {
    let (failure, _) = IssueReporter.withCapture {
      checkTimelines(of: .letters, .numbers(0...9), .delays, .moment) { scheduler, typing, numbers, delays, moment in
        // A comment.
        let last = typing.events.last
        if last != nil, delays.next() > .zero, moment == nil { throw TestError.second }
      }
    }
    #expect(
      failure?.test == """
        @Test func repeats_run\(failure?.run ?? 0)() throws {
          let scheduler = DispatchQueue.test
          let typing = scheduler.hot("a")
          let numbers = scheduler.hot("-", values: { Int($0) })
          let delays = TimelineDelays([.milliseconds(1)])
          let moment = DispatchQueue.SchedulerTimeType.Stride?.none
          // A comment.
          let last = typing.events.last
          if last != nil, delays.next() > .zero, moment == nil { throw TestError.second }
        }
        """)
  }

  @Test func `a closure with numbered parameters is pasted with the names of the generators`() {
    let (failure, _) = IssueReporter.withCapture {
      checkTimelines(of: .cold(.letters.ending(.never)).named("source"), .demand, .delays) {
        if $1.events.count > 1, $2.initial >= .none, $3.next() >= .zero, $0.elapsed >= .zero { throw TestError.first }
      }
    }
    #expect(
      failure?.test == """
        @Test func repeats_run\(failure?.run ?? 0)() throws {
          let scheduler = DispatchQueue.test
          let source = scheduler.cold("(aa)")
          let demand = DemandScript<DispatchQueue.SchedulerTimeType.Stride>.initial(.none)
          let delays = TimelineDelays([])
          if source.events.count > 1, demand.initial >= .none, delays.next() >= .zero, scheduler.elapsed >= .zero { throw TestError.first }
        }
        """)
  }

  @Test func `a check in a world is pasted in one`() async throws {
    let failure = await MainActor.run {
      IssueReporter.withCapture {
        checkTimelines(of: .letters) { _, letters in
          if letters.events.count > 0 { throw TestError.first }
        }
      }.result
    }
    #expect(failure?.test.contains("@MainActor @Test func repeats_run\(failure?.run ?? 0)() throws {\n") == true)
    #expect(failure?.test.contains("\n  try scheduler.withVirtualWorld {\n    if letters") == true)
  }

  @Test func `the same seed gives the same failure, another one another`() throws {
    func search(_ seed: UInt64) -> TimelineFailure? {
      IssueReporter.withCapture {
        checkTimelines(of: .letters, seed: seed) { _, letters in
          if letters.events.count == 7 { throw TestError.first }
        }
      }.result
    }
    let first = try #require(search(5))
    #expect(search(5)?.description == first.description)
    #expect((6...9).contains { search($0)?.run != first.run })
  }

  @Test func `a run that fails at another line does not count as a smaller form`() throws {
    let (found, _) = IssueReporter.withCapture {
      checkTimelines(of: .letters) { scheduler, letters in
        let count = letters.events.count
        if count == 1 { return }
        if count >= 4 {
          scheduler.expect(Empty<Int, Never>(), "a")
        } else if count > 1 {
          scheduler.expect(Empty<Int, Never>(), "b")
        }
      }
    }
    let failure = try #require(found)
    #expect(failure.eventCount == (failure.reason.contains(" a ") ? 4 : 2))
    #expect(failure.originalEventCount >= failure.eventCount)
  }

  @Test func `a run that passes when it is repeated is reported as such`() throws {
    var hasFailed = false
    let (found, issues) = IssueReporter.withCapture {
      checkTimelines(of: .letters) { _, _ in
        if hasFailed { return }
        hasFailed = true
        throw TestError.first
      }
    }
    #expect(found?.reason.contains("passed when it was repeated") == true)
    #expect(issues.count == 1)
  }

  @Test func `a frame of zero is reported, and nothing is checked`() {
    let (failure, issues) = IssueReporter.withCapture {
      checkTimelines(of: .letters, frame: .zero) { _, _ in throw TestError.first }
    }
    #expect(failure == nil)
    #expect(issues.map(\.message) == ["A frame must be longer than zero, got 0 s. Nothing was checked."])
  }

  @Test func `the frame is that of the scheduler and of the gaps`() throws {
    let (found, _) = IssueReporter.withCapture {
      checkTimelines(of: .letters.ending(.never), frame: .milliseconds(100)) { scheduler, letters in
        #expect(scheduler.frame == .milliseconds(100))
        if letters.events.contains(where: { $0.time > .milliseconds(100) }) { throw TestError.first }
      }
    }
    #expect(found?.diagram == "letters  --a")
    #expect(found?.test.contains("scheduler.frame = .milliseconds(100)") == true)
  }

  @Test func `a failure that is long has less than forty lines`() async throws {
    struct Wide: CustomStringConvertible {
      var description: String { Array(repeating: "a line", count: 30).joined(separator: "\n") }
    }
    let issues = try await recorded {
      checkTimelines(of: .values([Wide()]), .values([Wide()]), .values([Wide()])) { scheduler, one, two, three in
        let recorders = (0..<20).map { _ in scheduler.record(one.merge(with: two)) }
        scheduler.run()
        // The body is as long as bodies are.
        _ = recorders
        _ = 1
        _ = 2
        _ = 3
        _ = 4
        _ = 5
        _ = 6
        _ = 7
        _ = 8
        _ = 9
        _ = 10
        _ = 11
        _ = 12
        _ = 13
        _ = 14
        _ = 15
        let total = one.events.count + two.events.count + three.events.count
        if total > 3 { throw WideError(description: Wide().description) }
      }
    }
    let text = try #require(issues.first).comments.map(\.rawValue).joined()
    #expect(issues.count == 1)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 28)
    #expect(text.contains("more lines"))
  }

  private struct WideError: Error, CustomStringConvertible { let description: String }
}

/// Returns the issues that Swift Testing would report.
func recorded(_ body: @escaping @Sendable () async throws -> Void) async throws -> [Issue] {
  let log = Log<Issue>()
  let trait = IssueHandlingTrait.compactMapIssues { issue in
    log.append(issue)
    return nil
  }
  try await trait.provideScope(for: #require(Test.current), testCase: Test.Case.current, performing: body)
  return log.all
}
