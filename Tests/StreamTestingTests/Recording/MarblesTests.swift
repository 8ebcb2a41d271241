import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// The meaning of diagrams, observed in the events of hot publishers created from them.
@Suite
struct MarblesTests {
  private let scheduler = DispatchQueue.test

  private func events(_ marbles: Marbles) -> String {
    scheduler.hot(marbles, error: TestFailure()).events.map { "\($0)" }.joined(separator: ", ")
  }

  private func mistake(_ text: String) -> MarbleSyntaxError? {
    do {
      _ = try Marbles(parsing: text)
      return nil
    } catch {
      return error
    }
  }

  @Test func `every character takes one frame`() {
    #expect(events("--a-b|") == "2 ms a, 4 ms b, 5 ms finished")
    #expect(events("ab") == "0 s a, 1 ms b")
    #expect(events("") == "")
  }

  @Test func `a group takes one frame, whatever its contents`() {
    #expect(events("-(abc)d|") == "1 ms a, 1 ms b, 1 ms c, 2 ms d, 3 ms finished")
    #expect(events("(a|)") == "0 s a, 0 s finished")
    #expect(events("(ab)--c") == "0 s a, 0 s b, 3 ms c")
  }

  @Test func `spaces take no time`() {
    #expect(events(" - -a  -   |") == "2 ms a, 4 ms finished")
    #expect(events("( a b )|") == "0 s a, 0 s b, 1 ms finished")
  }

  @Test func `a time replaces a frame`() {
    #expect(events("a 12ms b") == "0 s a, 12 ms b")
    #expect(events("a 1.5s b 250us c 5ns |") == "0 s a, 1.5 s b, 1500250 us c, 1500250005 ns finished")
    #expect(events("12ms a") == "12 ms a")
    #expect(events("a 1m b") == "0 s a, 60 s b")
    #expect(events("a 1s 500ms b") == "0 s a, 1.5 s b")
    #expect(events("a 10ms (bc) 10ms |") == "0 s a, 10 ms b, 10 ms c, 20 ms finished")
  }

  @Test func `a time without surrounding spaces is parsed as values`() {
    #expect(events("1s-") == "0 s 1, 1 ms s")
    #expect(events("-1s") == "1 ms 1, 2 ms s")
    #expect(events("a1s") == "0 s a, 1 ms 1, 2 ms s")
    #expect(events("12") == "0 s 1, 1 ms 2")
  }

  @Test func `names of several characters are quoted and take one frame`() {
    #expect(events("-'hello'-'a b'|") == "1 ms hello, 3 ms a b, 4 ms finished")
  }

  @Test func `a failure ends the stream`() {
    #expect(events("-a#") == "1 ms a, 2 ms failed: TestFailure()")
  }

  @Test func `times are relative to the subscription`() {
    #expect(events("--a-^-b|") == "-2 ms a, 2 ms b, 3 ms finished")
  }

  @Test func `the scheduler sets the length of a frame`() {
    scheduler.frame = .milliseconds(100)
    #expect(events("--a-(bc)|") == "200 ms a, 400 ms b, 400 ms c, 500 ms finished")
    #expect(events("-a 12ms b") == "100 ms a, 112 ms b")
  }

  @Test func `a frame must have a positive length`() {
    let (_, issues) = IssueReporter.withCapture { scheduler.frame = 0 }
    #expect(
      issues.map(\.message) == [
        "A frame must be longer than zero: 0 s has no effect. The frame stays 1 ms."
      ])
    #expect(scheduler.frame == .milliseconds(1))
  }

  @Test(arguments: [
    ("--a-((b)", 6, "the group from column 5 is still open"),
    ("-(ab", 2, "a group is not closed"),
    ("-ab)", 4, "there is no group to close"),
    ("-()", 2, "the group is empty"),
    ("(a-b)", 3, "time cannot pass in a group"),
    ("a—b", 2, "this is a long dash; use hyphens (-) for time, and '—' for a value with this name"),
    ("(a 5ms b)", 4, "time cannot pass in a group"),
    ("-a|-b", 5, "the stream has ended in column 3"),
    ("-a#|", 4, "the stream has ended in column 3"),
    ("-'abc", 2, "the name is not closed with another '"),
    ("-''", 2, "the name is empty"),
    ("^-^", 3, "there is already a subscription"),
    ("!-!", 3, "there is already a cancellation"),
    ("a 1.2.3ms b", 3, "1.2.3ms is not a valid time"),
    ("a 99999999999999s b", 3, "99999999999999s is not a valid time"),
  ])
  func `a syntax error is found with its column`(_ text: String, _ column: Int, _ reason: String) {
    let mistake = mistake(text)
    #expect(mistake?.column == column)
    #expect(mistake?.reason == reason)
  }

  @Test func `a syntax error is shown in the diagram`() {
    #expect(
      mistake("--a-((b)")?.description == """
        The marble diagram cannot be read: the group from column 5 is still open, in column 6.
          --a-((b)
               ^
        """)
  }

  @Test func `only frames without events may follow the end`() {
    #expect(mistake("-a|---  ") == nil)
  }

  @Test func `a syntax error is reported at the line that uses the diagram`() {
    let (_, issues) = IssueReporter.withCapture { _ = scheduler.hot("(a") }
    #expect(issues.map(\.line) == [#line - 1])
    #expect(issues.first?.message.contains("a group is not closed") == true)
  }

  @Test func `values come from a dictionary, from a closure, or from the names themselves`() {
    #expect(scheduler.hot("a", values: ["a": 1]).events == [.next(at: 0, 1)])
    #expect(scheduler.hot("7") { Int($0) }.events == [.next(at: 0, 7)])
    #expect(scheduler.hot("a").events == [.next(at: 0, "a")])
    let values = ["a": 2.5]
    #expect(scheduler.hot("a", values: MarbleValues(values)).events == [.next(at: 0, 2.5)])
  }

  @Test func `a name without a value and a failure without an error are reported and omitted`() {
    let (numbers, issues) = IssueReporter.withCapture { scheduler.hot("a-c#", values: ["a": 1]) }
    #expect(numbers.events == [.next(at: 0, 1)])
    #expect(
      issues.map(\.message) == [
        """
        The marble diagram cannot be read: no value is given for c, in column 3.
          a-c#
            ^
        The marble diagram cannot be read: no error is given for #, in column 4.
          a-c#
             ^
        """
      ])
  }

  @Test func `a publisher's diagram may not contain a cancellation`() {
    let (_, issues) = IssueReporter.withCapture { scheduler.cold("-!") }
    #expect(issues.first?.message.contains("the diagram of a publisher contains no cancellation, in column 2") == true)
  }
}

extension MarblesTests {
  /// The messages of the reported issues.
  private func reported(_ body: (TestSchedulerOf<DispatchQueue>) -> Void) -> [String] {
    let scheduler = DispatchQueue.test
    return IssueReporter.withCapture { body(scheduler) }.issues.map(\.message)
  }

  @Test func `an invalid diagram of an expectation is reported, and nothing is compared with it`() {
    let recorded = reported { $0.record(Just(1)).expect("a-(") }
    let expected = reported { $0.expect(Just(1), "a-(") }
    let withValues = reported { $0.expect(Just(1), "ab", values: ["a": 1]) }
    let withoutTime = reported { _ in expect(Just(1), "1!") }
    for messages in [recorded, expected, withValues, withoutTime] {
      #expect(messages.count == 1)
      #expect(messages.first?.hasPrefix("The marble diagram cannot be read") == true)
    }
  }

  @Test func `an invalid diagram of demand or subscription is reported, and nothing is compared`() {
    let demand = reported { $0.expect([1, 2].publisher, "1", demand: "1-(") }
    let recorded = reported { $0.record([1, 2].publisher, demand: "x").expect("1") }
    let withoutTime = reported { _ in expect([1, 2].publisher, "1", demand: "x") }
    let subscription = reported { $0.expect(Just(1), "-(1|)", subscription: "-^a") }
    for messages in [demand, recorded, withoutTime, subscription] {
      #expect(messages.count == 1)
      #expect(messages.first?.hasPrefix("The marble diagram cannot be read") == true)
    }
  }

  @Test func `an invalid diagram of a source is reported, and no events of it are compared`() {
    let hot = reported { scheduler in
      let letters = scheduler.hot("a-(b")
      scheduler.expect(letters.map { $0 + "!" }, "'a!'-'b!'")
    }
    let cold = reported { scheduler in
      let letters = scheduler.cold("a-(b")
      let recorder = scheduler.record(letters)
      scheduler.run()
      recorder.expect("a-b")
      recorder.expect([.next(at: 0, "a")])
      scheduler.expect(letters.subscriptions, "^--!")
    }
    let withoutValue = reported { scheduler in
      let numbers = scheduler.hot("1-x") { Int($0) }
      scheduler.expect(numbers, "1-2")
    }
    for messages in [hot, cold, withoutValue] {
      #expect(messages.count == 1)
      #expect(messages.first?.hasPrefix("The marble diagram cannot be read") == true)
    }
  }

  @Test func `an invalid diagram of subscriptions is reported, and they are not compared with it`() {
    let messages = reported { scheduler in
      let hot = scheduler.hot("a|")
      scheduler.expect(hot, "a|")
      scheduler.expect(hot.subscriptions, "^(")
    }
    #expect(messages.count == 1)
    #expect(messages.first?.hasPrefix("The marble diagram cannot be read") == true)
  }

  @Test func `events that an invalid diagram excludes from comparison are no loose ends`() {
    let messages = reported { scheduler in
      scheduler.expect(Just(1), "(")
      scheduler.assertNothingLeft()
    }
    #expect(messages.count == 1)
  }
}
