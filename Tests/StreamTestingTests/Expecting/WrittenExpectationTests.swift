import Dispatch
import Foundation
import StreamSchedulers
import Streams
import Testing

@testable import StreamTesting

// `@testable`: a writer with another environment, which otherwise is that of the whole process.

/// Expectations without a diagram, compiled here and written into copies of this file.
@Suite
struct WrittenExpectationTests {
  private let scheduler = DispatchQueue.test

  private func messages(_ body: () -> Void) -> [String] {
    IssueReporter.withCapture {
      ExpectationWriter.$current.withValue(ExpectationWriter(environment: [:]), operation: body)
    }.issues.map(\.message)
  }

  // MARK: Without writing

  @Test func `an expectation without a diagram fails once and shows the diagram`() {
    let letters = scheduler.hot("-a-b---c|")
    let debounced = letters.debounce(for: .milliseconds(2), scheduler: scheduler)
    #expect(
      messages { scheduler.expect(debounced) } == [
        """
        There is no diagram to compare the stream with. This is what it did:

          -----b--|

        Run the test again with STREAMS_WRITE=1 in the environment to write it into the source.
        """
      ])
    #expect(scheduler.elapsed == .milliseconds(8))
    scheduler.assertNothingLeft()
  }

  @Test func `it fails at its line`() {
    var lines: [UInt] = []
    let (_, issues) = IssueReporter.withCapture {
      ExpectationWriter.$current.withValue(ExpectationWriter(environment: ["STREAMS_WRITE": "0"])) {
        scheduler.expect(Just(1))
        lines.append(#line - 1)
        scheduler.record(Just(1)).expect()
        lines.append(#line - 1)
        expect(Just(1))
        lines.append(#line - 1)
      }
    }
    #expect(issues.map(\.line) == lines)
    #expect(issues.allSatisfy { $0.message.contains("\n  (1|)\n") })
  }

  @Test func `time advances until the stream sends nothing more`() {
    let message = messages { scheduler.expect(scheduler.cold("-a 1s b")) }
    #expect(message.first?.contains("\n  -a 1s b\n") == true)
    #expect(scheduler.elapsed == .milliseconds(1001))
    let late = Just(1).subscribe(on: scheduler, options: nil).delay(for: .milliseconds(3), scheduler: scheduler)
    #expect(messages { scheduler.expect(late) }.first?.contains("\n  ---(1|)\n") == true)
    let poller = scheduler.timerPublisher(every: .milliseconds(1)).autoconnect().sink { _ in }
    let silent = Empty<Int, Never>(completeImmediately: false)
    #expect(messages { scheduler.expect(silent) }.first?.contains("\n  -\n") == true)
    poller.cancel()
  }

  @Test func `an expectation that ends runs what else is due then`() {
    var isRun = false
    let stream = scheduler.cold("-a|").handleEvents(receiveCompletion: { _ in
      scheduler.schedule { isRun = true }
    })
    #expect(messages { scheduler.expect(stream) }.count == 1)
    #expect(isRun)
  }

  @Test func `a stream that begins late is recorded`() {
    let late = LateStart(scheduler: scheduler)
    #expect(messages { scheduler.expect(late) }.first?.contains("\n  ---(1|)\n") == true)
  }

  @Test func `the diagrams of subscription and demand count`() {
    let ticks = scheduler.timerPublisher(every: .milliseconds(2)).autoconnect().map { _ in "t" }
    #expect(messages { scheduler.expect(ticks, subscription: "-^----!") }.first?.contains("\n  ---t-t\n") == true)
    let numbers = (1...9).publisher
    let some = messages { scheduler.expect(numbers, subscription: "^---!", demand: "1--2") }
    #expect(some.first?.contains("\n  1--(23)\n") == true)
    #expect(messages { expect(numbers, demand: .max(2)) }.first?.contains("\n  (12)\n") == true)
    #expect(messages { scheduler.expect(Just(1), subscription: "^-a") }.count == 1)
    #expect(messages { scheduler.expect(Just(1), demand: "x") }.count == 1)
  }

  @Test func `a stream without end is not offered as a diagram`() throws {
    let copy = try SourceCopy()
    let ticks = scheduler.timerPublisher(every: .milliseconds(2)).autoconnect().map { _ in "t" }
    let message = copy.writing { scheduler.expect(ticks) }
    #expect(message.count == 1)
    #expect(message.first?.contains("It never stops sending values.") == true)
    #expect(message.first.map { $0.count < 1000 } == true)
    #expect(copy.text == copy.original)
  }

  @Test func `a stream that sends nothing is explained`() {
    let message = messages { expect(PassthroughSubject<Int, Never>()) }.first
    #expect(message?.contains("\n  -\n") == true)
    #expect(message?.contains("which drops values that are sent before a subscription") == true)
  }

  @Test func `a failure is shown with its text`() {
    let failing = scheduler.cold("-a#", error: TestFailure())
    #expect(messages { scheduler.expect(failing) }.first?.contains("\n  -a#\n\n  # = TestFailure()\n") == true)
  }

  // MARK: Writing

  @Test func `the diagram is written into the call`() throws {
    let copy = try SourceCopy()
    let stream = scheduler.cold("--a--b|")
    let line = #line + 2
    let issues = copy.writing {
      scheduler.expect(stream)
    }
    #expect(copy.changes == ["      scheduler.expect(stream, \"--a--b|\")  // recorded"])
    #expect(issues.count == 1)
    #expect(
      issues.first?.hasSuffix(
        """

          --a--b|

        The diagram was written into WrittenExpectationTests.swift:\(line) but hasn't been compared with anything. \
        Read it, then run the test again.
        """) == true)
  }

  @Test func `all forms of a call are written`() throws {
    let copy = try SourceCopy()
    let failing = scheduler.cold("-a#", error: TestFailure())
    let issues = copy.writing {
      let recorder = scheduler.record(Just(1)); recorder.expect()
      recorder.expect(error: nil)
      expect([1, 2].publisher)
      scheduler.expect(failing, error: TestFailure())
      scheduler
        .expect(failing, subscription: "^-!", demand: .max(1))
      scheduler.expect(
        failing
      )
      scheduler.expect(
        [3, 4].publisher.map {
          $0 + 1
        })
    }
    #expect(issues.count == 7)
    #expect(
      copy.changes == [
        "      let recorder = scheduler.record(Just(1)); recorder.expect(\"(1|)\")  // recorded",
        "      recorder.expect(\"(1|)\", error: nil)  // recorded",
        "      expect([1, 2].publisher, \"(12|)\")  // recorded",
        "      scheduler.expect(failing, \"-a#\", error: TestFailure())  // recorded",
        "        .expect(failing, \"-a\", subscription: \"^-!\", demand: .max(1))  // recorded",
        "        failing,",
        "        \"-a#\"",
        "      )  // recorded",
        "        }, \"(45|)\")  // recorded",
      ])
  }

  @Test func `diagrams of several lines move the calls below them`() throws {
    let copy = try SourceCopy()
    let long = scheduler.cold("-a-b-c|") { "a long text, \"\($0)\"" }
    let issues = copy.writing {
      scheduler.expect(long); scheduler.expect(Just(1))
      scheduler.expect(long, error: nil)
      scheduler.expect(Just(2)); scheduler.expect(Just(3))
    }
    #expect(issues.count == 5)
    #expect(issues.allSatisfy { $0.contains("The diagram was written") })
    #expect(
      copy.changes == [
        "      scheduler.expect(",
        "        long,",
        "        \"-A-B-C|\",",
        #"        values: ["A": "a long text, \"a\"", "B": "a long text, \"b\"", "C": "a long text, \"c\""]) /* recorded */"#
          + "; scheduler.expect(Just(1), \"(1|)\")  // recorded",
        "      scheduler.expect(",
        "        long,",
        "        \"-A-B-C|\",",
        #"        values: ["A": "a long text, \"a\"", "B": "a long text, \"b\"", "C": "a long text, \"c\""],"#,
        "        error: nil)  // recorded",
        "      scheduler.expect(Just(2), \"(2|)\") /* recorded */; scheduler.expect(Just(3), \"(3|)\")  // recorded",
      ])
  }

  @Test func `a call in a macro's closure is written`() throws {
    let copy = try SourceCopy()
    let issues = copy.writing {
      #expect(throws: TestFailure.self) {
        scheduler.expect(Just("in a macro"))
        throw TestFailure()
      }
      #expect(throws: TestFailure.self) {
        expect(Just(8)); expect(Just(9)); throw TestFailure()
      }
    }
    #expect(copy.changes == ["        scheduler.expect(Just(\"in a macro\"), \"('in a macro'|)\")  // recorded"])
    #expect(issues.count == 3)
    #expect(issues[1].contains("The macro contains several calls of expect"))
  }

  @Test func `two tests write into one file at the same time`() async throws {
    let copy = try SourceCopy()
    let writer = copy.writer
    let count = await withTaskGroup(of: Int.self) { group in
      for work: @Sendable () -> Void in [
        { expect(Just(21)) },
        { expect(Just(22)) },
        { expect(Just("a text that is too long for a marble")) },
        { expect(Just(24)) },
      ] {
        group.addTask {
          let (_, issues) = IssueReporter.withCapture {
            ExpectationWriter.$current.withValue(writer, operation: work)
          }
          return issues.count(where: { $0.message.contains("The diagram was written") })
        }
      }
      return await group.reduce(0, +)
    }
    #expect(count == 4)
    #expect(copy.changes.count == 7)
    #expect(copy.text.contains("{ expect(Just(24), \"('24'|)\") /* recorded */ },"))
  }

  @Test func `a call that is reached with different results is not written`() throws {
    let copy = try SourceCopy()
    let issues = copy.writing {
      for number in [1, 1, 2, 1, 3] {
        scheduler.expect(Just(number))
      }
      scheduler.expect(Just(7))
    }
    #expect(copy.changes == ["      scheduler.expect(Just(7), \"(7|)\")  // recorded"])
    #expect(issues.map { $0.contains("The diagram was written") } == [true, true, false, false, false, true])
    #expect(issues[2].hasSuffix("because the same call had a different result before: (1|)"))
    #expect(issues[3].hasSuffix("because the same call had a different result before: (2|)"))
  }

  @Test func `a result that cannot be written takes back an earlier one of the same call`() throws {
    let copy = try SourceCopy()
    let issues = copy.writing {
      for text in ["a", "too long for a marble"] { scheduler.expect(Just(Opaque(text: text))) }
    }
    #expect(copy.text == copy.original)
    #expect(issues.last?.contains("had a different result before") == true)
  }

  @Test func `a place that was passed on is refused`() throws {
    let copy = try SourceCopy()
    func check(line: UInt = #line, column: UInt = #column) {
      scheduler.expect(Just(1), line: line, column: column)
    }
    let issues = copy.writing {
      check()
      scheduler.expect(Just(1), fileID: #fileID)
    }
    #expect(issues.count == 2)
    #expect(issues[0].hasSuffix("A call of expect is not in column 12."))
    #expect(issues[1].contains("don't match an expectation without a diagram"))
    #expect(copy.text == copy.original)
  }

  @Test func `an error that differs from the expected one is not written`() throws {
    let copy = try SourceCopy()
    struct Other: Error {}
    let failing = scheduler.cold("-#", error: Other() as any Error)
    let issues = copy.writing { scheduler.expect(failing, error: TestFailure()) }
    #expect(issues.first?.contains("It hasn't failed with the expected error, TestFailure()") == true)
    #expect(copy.text == copy.original)
  }

  // MARK: The mark

  @Test func `a recorded expectation that fails says so`() throws {
    let copy = try SourceCopy(environment: [:])
    let hint = "The diagram was recorded. If the stream is correct now, remove the diagram and"
    let issues = copy.writing {
      scheduler.expect(Just(1), "(1|)")  // recorded
      scheduler.expect(Just(1), "(2|)")  // recorded
      scheduler.expect(Just(1), "(2|)") /* recorded */
      scheduler.record(Just(1)).expect("(2|)")  // recorded
      expect(Just(1), "(2|)")  // recorded
      scheduler.expect(Just(1), "(2|)")
      scheduler.expect(Just(1), "(2|)")  // This was recorded.
    }
    #expect(issues.map { $0.contains(hint) } == [true, true, true, true, false, false])
  }

  @Test func `the source of an expectation that passes is not read`() throws {
    let paths = Paths()
    let writer = ExpectationWriter(environment: [:]) { path in
      paths.append(path)
      return path
    }
    let (_, issues) = IssueReporter.withCapture {
      ExpectationWriter.$current.withValue(writer) {
        scheduler.expect(Just(1), "(1|)")  // recorded
        #expect(paths.all.isEmpty)
        scheduler.expect(Just(1), "(2|)")
      }
    }
    #expect(issues.count == 1)
    #expect(paths.all == [#filePath])
  }
}

/// Sends not even a subscription before three milliseconds have passed.
private struct LateStart: Publisher {
  typealias Output = Int
  typealias Failure = Never
  let scheduler: TestSchedulerOf<DispatchQueue>

  func receive(subscriber: some Subscriber<Int, Never>) {
    scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(3))) { Just(1).receive(subscriber: subscriber) }
  }
}

private struct Opaque: Equatable, CustomStringConvertible {
  var text: String
  var description: String { text }
}

private final class Paths: @unchecked Sendable {
  // Unchecked because `Locked` is not marked: the lock protects the list.
  private let paths = Locked<[String]>([])
  var all: [String] { paths.withLock { $0 } }
  func append(_ path: String) { paths.withLock { $0.append(path) } }
}
