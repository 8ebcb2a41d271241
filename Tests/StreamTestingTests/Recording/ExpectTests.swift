import Dispatch
import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

@Suite
struct ExpectTests {
  private let scheduler = DispatchQueue.test

  private func failure(_ body: () -> Void) -> String? {
    let (_, issues) = IssueReporter.withCapture(body)
    return issues.isEmpty ? nil : issues.map(\.message).joined(separator: "\n---\n")
  }

  // MARK: Met expectations

  @Test func `a stream that matches its diagram does not fail`() {
    let letters = scheduler.hot("-a-bc---d|")
    scheduler.expect(letters.debounce(for: .milliseconds(2), scheduler: scheduler), "------c--|")
    scheduler.expect(scheduler.cold("-a#", error: TestFailure()), "-a#")
    scheduler.expect(scheduler.cold("-a#", error: TestFailure()), "-a#", error: TestFailure())
    scheduler.expect(scheduler.cold("-(ab)- 300ms c|"), "-(ab)- 300ms c|")
    scheduler.expect(Empty<Int, Never>(completeImmediately: false), "----")
    expect([1, 2].publisher, "(12|)")
    expect((1...9).publisher, "(12)", demand: .max(2))
    expect([1, 2].publisher, "(ab|)", values: ["a": 1, "b": 2])
    expect(Fail<Int, TestFailure>(error: TestFailure()), "#", error: TestFailure())
  }

  @Test func `values are compared by their description, or by the values given for names`() {
    scheduler.expect(scheduler.cold("-1-2|") { Int($0) }.map { $0 * 10 }, "-'10'-'20'|")
    scheduler.expect(scheduler.cold("-1|") { Int($0) }.map { [$0, $0] }, "-a|", values: ["a": [1, 1]])
    scheduler.expect(scheduler.cold("-1|") { Int($0) }, "-1|", values: MarbleValues { Int($0) })
  }

  @Test func `expect advances time to the end of the diagram`() {
    scheduler.expect(scheduler.cold("-a|"), "-a|-----")
    #expect(scheduler.elapsed == .milliseconds(7))
    scheduler.expect(scheduler.cold("-a|"), "-a|")
    #expect(scheduler.elapsed == .milliseconds(9))
    scheduler.assertNothingLeft()
  }

  @Test func `a subscription diagram sets the times of subscription and cancellation`() {
    let hot = scheduler.hot("abcdefg")
    scheduler.expect(hot, "--cde", subscription: "--^--!")
    #expect(hot.subscriptions == [.cancelled(.milliseconds(2), .milliseconds(5))])
    let ticks = scheduler.timerPublisher(every: .milliseconds(2)).autoconnect().map { _ in "t" }
    scheduler.expect(ticks, "--t-t", subscription: "^----!")
    scheduler.run()
    scheduler.assertNothingLeft()
  }

  @Test func `a demand diagram sets the requests`() {
    scheduler.expect((1...9).publisher, "1--(23)", subscription: "^---!", demand: "1--2")
  }

  // MARK: Failures

  @Test func `a failure shows both timelines, where they differ, and all events`() {
    let letters = scheduler.hot("-a-b---c|")
    let message = failure {
      scheduler.expect(letters.debounce(for: .milliseconds(2), scheduler: scheduler), "----b--(c|)")
    }
    #expect(
      message == """
        The stream's events differ from the expected events.

          expected  ----b--(c|)
          actual    -----b--   |
                        ^^ ^^^^^

                   expected  actual
          ≠  4 ms  b         –
          ≠  5 ms  –         b
          ≠  7 ms  c         –
          ≠  7 ms  finished  –
          ≠  8 ms  –         finished
        """)
  }

  @Test func `a failure is reported at the line of the expectation`() {
    let recorder = scheduler.record(Just(1))
    var lines: [UInt] = []
    let (_, issues) = IssueReporter.withCapture {
      scheduler.expect(Just(1), "(2|)")
      lines.append(#line - 1)
      scheduler.expect(Just(1), "(a|)", values: ["a": 2])
      lines.append(#line - 1)
      recorder.expect("|")
      lines.append(#line - 1)
      recorder.expect([.completed(at: 0)])
      lines.append(#line - 1)
      expect(Just(1), "|")
      lines.append(#line - 1)
      scheduler.expect(Just(1), "(a")
      lines.append(#line - 1)
    }
    #expect(issues.map(\.line) == lines)
    #expect(issues.allSatisfy { $0.fileID.hasSuffix("ExpectTests.swift") })
  }

  @Test func `a stream that continues after its diagram fails`() {
    #expect(
      failure { scheduler.expect(scheduler.cold("-a---b"), "-a-") } == """
        The stream's events differ from the expected events.

          expected  -a----
          actual    -a---b
                         ^

                   expected  actual
             1 ms  a         a
          ≠  5 ms  –         b
        """)
    let ticks = scheduler.timerPublisher(every: .milliseconds(2)).autoconnect().map { _ in "t" }
    #expect(failure { scheduler.expect(ticks, "--t-t") }?.contains("≠  6 ms  –         t") == true)
    #expect(failure { scheduler.expect(scheduler.cold("-a--|"), "-a") } != nil)
  }

  @Test func `unrelated scheduled work does not delay the expectation`() {
    let poller = scheduler.timerPublisher(every: 1).autoconnect().sink { _ in }
    scheduler.expect(Empty<Int, Never>(completeImmediately: false), "---")
    poller.cancel()
  }

  @Test func `a failure in the middle of a test states when the diagram began`() {
    scheduler.advance(by: 2)
    #expect(
      failure { scheduler.expect(scheduler.cold("-a|"), "-b|") } == """
        The stream's events differ from the expected events.

          expected  -b|
          actual    -a|
                     ^

                   expected  actual
          ≠  1 ms  b         a
             2 ms  finished  finished

        The diagram and its times begin at 2 s.
        """)
  }

  @Test func `long intervals are written as times, aligned in both timelines`() {
    #expect(
      failure { scheduler.expect(scheduler.cold("a 300ms b 1.5s c|"), "a 300ms b 1.5s (c|)") } == """
        The stream's events differ from the expected events.

          expected  a 300ms b 1.5s (c|)
          actual    a 300ms b 1.5s c   |
                                   ^^^^^

                      expected  actual
                 0 s  a         a
              300 ms  b         b
               1.8 s  c         c
          ≠    1.8 s  finished  –
          ≠  1.801 s  –         finished
        """)
  }

  @Test func `long values are represented by a letter and listed below`() {
    let long = scheduler.cold("-1-2|") { Int($0) }.map { "this is value number \($0)" }
    #expect(
      failure { scheduler.expect(long, "-a-b|") } == """
        The stream's events differ from the expected events.

          expected  -a-b|
          actual    -A-B|
                     ^ ^

                   expected  actual
          ≠  1 ms  a         A = this is value number 1
          ≠  3 ms  b         B = this is value number 2
             4 ms  finished  finished
        """)
  }

  @Test func `events that match at the same time are aligned`() {
    #expect(
      failure { expect([1, 2, 3].publisher, "(13)") } == """
        The stream's events differ from the expected events.

          expected  (13)
          actual    (123|)
                    ^^^^^^

                  expected  actual
             0 s  1         1
          ≠  0 s  –         2
             0 s  3         3
          ≠  0 s  –         finished
        """)
    #expect(failure { expect([1].publisher, "(21|)") }?.contains("≠  0 s  2         –\n     0 s  1         1") == true)
    #expect(failure { expect([2].publisher, "(1|)") }?.contains("≠  0 s  1         2") == true)
  }

  @Test func `the message explains names with other values`() {
    let values: MarbleValues = ["a": [1], "b": [2]]
    #expect(failure { expect(Just([1]), "(b|)", values: values) }?.hasSuffix("where b = [2]") == false)
    #expect(failure { expect(Just([1]), "(b|)", values: values) }?.contains("\n\n  where b = [2]\n") == true)
    let long: MarbleValues = ["a": Array(1...40)]
    #expect(failure { expect(Just([1]), "(a|)", values: long) }?.contains("\n  where\n    a = [1, 2,") == true)
  }

  @Test func `descriptions too long for columns are printed one below the other`() {
    let recorder = Just("an actual value that is also very long, too long for a column").record()
    let message = failure {
      recorder.expect([
        .next(at: 0, "an expected value that is so long that it would not fit"), .completed(at: 0),
      ])
    }
    #expect(
      message == """
        The stream's events differ from the expected events.

          expected  (A|)
          actual    (B|)
                    ^^^^

          ≠  0 s  expected  A = an expected value that is so long that it would not fit
                  actual    B = an actual value that is also very long, too long for a column
             0 s  finished
        """)
  }

  @Test func `a long recording is wrapped`() {
    let marbles = (0..<14).map { "'value \($0)'-" }.joined()
    let recorder = scheduler.record(scheduler.hot(Marbles(marbles)))
    scheduler.run()
    let message = failure { recorder.expect(Marbles(marbles.dropLast(2) + "x'-")) }
    let lines = message?.components(separatedBy: "\n").filter { $0.contains("actual  ") } ?? []
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.count <= 120 })
  }

  @Test func `differences inside values are listed by property`() {
    let expected = Profile(
      name: "Ada", tags: ["x", "y"], address: Address(street: "Main", number: 1), state: .loading(1),
      scores: ["a": 1, "b": 2], pair: (1, 2))
    var actual = expected
    actual.tags = ["x", "z", "w"]
    actual.address?.number = 2
    actual.state = .loading(2)
    actual.scores = ["a": 1, "c": 3]
    let message = failure { expect(Just(actual), "(a|)", values: ["a": expected]) } ?? ""
    #expect(
      message.components(separatedBy: "these parts differ:").last == """

            .tags[1]         expected "y", actual "z"
            .tags.count      expected 2, actual 3
            .address.number  expected 1, actual 2
            .state.loading   expected 1, actual 2
            .scores["b"]     expected 2, actual nothing
            .scores["c"]     expected nothing, actual 3
        """)
  }

  @Test func `absent values and other enum cases are shown as a whole`() {
    var expected = Profile(
      name: "Ada", tags: [], address: nil, state: .idle, scores: [:], pair: (1, 2))
    var actual = expected
    actual.address = Address(street: "Main", number: 1)
    actual.state = .loading(1)
    expected.pair.1 = 3
    let message = failure { expect(Just(actual), "(a|)", values: ["a": expected]) } ?? ""
    #expect(message.contains(".address  expected nil, actual Optional("))
    #expect(message.contains(".state    expected "))
    #expect(message.contains(".pair.1   expected 3, actual 2"))
  }

  @Test func `an unexpected error fails`() {
    struct Other: Error {}
    let message = failure {
      scheduler.expect(scheduler.cold("-#", error: Other() as any Error), "-#", error: TestFailure())
    }
    #expect(message?.contains("failed: TestFailure()") == true)
    #expect(message?.contains("failed: Other()") == true)
  }

  @Test func `invalid symbols in a diagram of an expectation are reported`() {
    #expect(
      failure { expect(Just(1), "(1!|)") }?.contains("a cancellation belongs in the diagram of a subscription") == true)
    #expect(failure { expect(Just(1), "(a|)", values: ["b": 1]) }?.contains("no value is given for this name") == true)
    #expect(
      failure { scheduler.expect(Just(1), "(1|)", subscription: "^-a") }?.contains(
        "the diagram of a subscription contains only ^ and !")
        == true)
  }

  @Test func `expected events at other times name the length of a frame`() {
    let delayed = Just(1).delay(for: .milliseconds(100), scheduler: scheduler)
    let message = failure { scheduler.expect(delayed, "-(1|)") }
    #expect(message?.contains("A character in a diagram lasts 1 ms here") == true)
    let other = failure { scheduler.expect(Just(2).delay(for: .milliseconds(1), scheduler: scheduler), "-(1|)") }
    #expect(other?.contains("A character in a diagram") == false)
  }

  // MARK: Printed diagrams can be parsed

  @Test(arguments: [
    "--a-b|", "(ab)-c#", "a 300ms b 1.5s (cd)|", "'hello'-'a b'-c|", "-1-2 15ms 3 s|", "a 12us b 7ns |", "1s2m|", "",
    "---|",
    "-'|'-'#'-' '|",
  ])
  func `a drawn recording parses as the same diagram`(_ marbles: String) {
    let hot = scheduler.hot(Marbles(marbles), error: TestFailure())
    let recorder = scheduler.record(hot)
    scheduler.run()
    let drawn = MarbleDiagram([.line(recorder)], frame: scheduler.frame).text
    let again = DispatchQueue.test.hot(Marbles(drawn), error: TestFailure())
    #expect(again.events == hot.events, "\(marbles) was drawn as \(drawn)")
  }
}

private struct Address: Equatable {
  var street: String
  var number: Int
}

private enum State: Equatable {
  case idle
  case loading(Int)
}

private struct Profile: Equatable {
  var name: String
  var tags: [String]
  var address: Address?
  var state: State
  var scores: [String: Int]
  var pair: (Int, Int)

  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.name == rhs.name && lhs.tags == rhs.tags && lhs.address == rhs.address && lhs.state == rhs.state
      && lhs.scores == rhs.scores && lhs.pair == rhs.pair
  }
}
