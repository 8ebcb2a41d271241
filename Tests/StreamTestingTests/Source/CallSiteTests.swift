import Foundation
import Testing

@testable import StreamSchedulers
@testable import StreamTesting

// `@testable`: how a call is read, of which a written diagram shows only where it was inserted.

/// Calls that are compiled, whose places are therefore those that the compiler gives.
@Suite
struct CallSiteTests {
  private let probe = Probe()

  private func arguments(_ place: CodeLocation, of name: String = "note") -> [String]? {
    CallSite(place, of: name)?.arguments.map { "\($0.label ?? "_"): \($0.text)" }
  }

  // MARK: Places of the compiler

  @Test func `a call is found at its place`() {
    #expect(arguments(probe.note(1, label: 2)) == ["_: 1", "label: 2"])
    #expect(arguments(probe.note("a)\("b" + "}")")) == [#"_: "a)\("b" + "}")""#])
    /* é 🎈 */ #expect(arguments(probe.note([1, 2], label: [3].count)) != [])
    let place = /* é 🎈 */ probe.note(probe.note(1), label: 2)
    #expect(arguments(place) == ["_: probe.note(1)", "label: 2"])
    let (one, other) = (probe.note(1), probe.note(2))
    #expect(arguments(one) == ["_: 1"])
    #expect(arguments(other) == ["_: 2"])
  }

  @Test func `a call over several lines is found at its place`() {
    let expanded = probe.note(
      // A comment, with a comma.
      [1, 2].map { "\($0), " },
      label: 2,
    )
    #expect(arguments(expanded) == [#"_: [1, 2].map { "\($0), " }"#, "label: 2"])
    let chained =
      probe
      .self
      .note(3)
    #expect(arguments(chained) == ["_: 3"])
    #expect(CallSite(chained)?.indentation == "      ")
    #expect(CallSite(expanded)?.indentation == "    ")
  }

  @Test func `the indentation is that of the line on which the expression begins`() throws {
    let source = """
      func f() {
      \tlet x = a.b(1) { 2 }[3]?
      \t\t.c!
      \t\t.expect(4)
      \t\tif (a).expect(5) {}
      }
      """
    #expect(try call(in: source, line: 4).indentation == "\t")
    #expect(try call(in: source, line: 5).indentation == "\t\t")
  }

  @Test func `a call in a macro is found by its name`() throws {
    var places: [CodeLocation] = []
    try #require(throws: Probe.Failure.self) {
      // A call of note( in a comment is none.
      places.append(probe.note("in a macro", label: 7))
      #expect(places.count == 1)
      throw Probe.Failure()
    }
    #expect(arguments(places[0]) == [#"_: "in a macro""#, "label: 7"])
    #expect(CallSite(places[0]) == nil)
    #expect(CallSite(places[0], of: "other") == nil)
    #expect(throws: Probe.Failure.self) {
      places = [probe.note(1), probe.note(2)]
      throw Probe.Failure()
    }
    #expect(arguments(places[0]) == nil)
  }

  @Test func `a trailing closure has parameters and a body`() throws {
    let one = probe.run { order in
      let text = "}"
      if order > 0 {

        _ = text  // {
      }

    }
    let closure = try #require(CallSite(one, of: "run")?.trailingClosure)
    #expect(closure.parameters == ["order"])
    #expect(closure.body == ["let text = \"}\"", "if order > 0 {", "", "  _ = text  // {", "}"])
    #expect(CallSite(one)?.argumentList == nil)

    let short = probe.run(label: 1) { _ = $0 + 1 }
    #expect(CallSite(short)?.trailingClosure?.body == ["_ = $0 + 1"])
    #expect(CallSite(short)?.trailingClosure?.parameters == [])
    #expect(arguments(short, of: "run") == ["label: 1"])

    let argument = probe.run(
      label: 1,
      { (order: Int) -> Void in
        _ = order
      })
    #expect(CallSite(argument)?.trailingClosure?.parameters == ["order"])
    #expect(CallSite(argument)?.trailingClosure?.body == ["_ = order"])
    #expect(CallSite(probe.note({ 1 }()))?.trailingClosure == nil)
  }

  @Test(
    arguments: [
      ("{ }", []), ("{ a in }", ["a"]), ("{ a, b in }", ["a", "b"]), ("{ (a, _: Int) in }", ["a", "_"]),
      ("{ @MainActor [weak self, x = y] a async throws(E) -> [Int] in }", ["a"]), ("{ @A(1) (a) in }", ["a"]),
      ("{ [self] in }", []), ("{ () in }", []), ("{ for x in y { } }", []), ("{ -x; for y in z { } }", []),
      ("{ [1].map { $0 }; for x in y { } }", []), ("{ (a, b).c; for x in y { } }", []),
    ] as [(String, [String])])
  func `a closure's signature is read`(_ closure: String, _ parameters: [String]) throws {
    #expect(try call(in: "expect \(closure)", column: 8).trailingClosure?.parameters == parameters)
  }

  @Test func `a body that begins beside its brace has no shared indentation there`() throws {
    let call = try call(in: "expect { a in b(a)\r\n    c()\r\n      d()\r\n}", column: 8)
    #expect(call.trailingClosure?.body == ["b(a)", "c()", "  d()"])
  }

  // MARK: Sources that do not look as expected

  @Test(arguments: [
    ("expect (1)", 7), ("expect(1)", 6), ("expect(1)", 8), ("other(1)", 6), ("(1)", 1), ("a + (1)", 5),
    ("// expect(1)", 10), ("\"expect(1)\"", 8), ("expect(1)", 70),
  ])
  func `there is no call elsewhere`(_ source: String, _ column: Int) {
    #expect(throws: (any Error).self) { try call(in: source, column: column) }
  }

  @Test func `a missing file has no calls`() {
    #expect(CallSite(CodeLocation(fileID: "A/B.swift", filePath: "/does/not/exist.swift", line: 1, column: 1)) == nil)
  }

  /// Returns the call of `expect` in a line, by default at its first parenthesis after that name.
  private func call(in source: String, line: Int = 1, column: Int? = nil) throws -> CallSite {
    let tokens = try #require(SourceTokens(Array(source.utf8)))
    let text = tokens.text(tokens.range(ofLine: line - 1))
    let found = text.utf8.firstRange(of: "expect(".utf8).map {
      text.utf8.distance(from: text.startIndex, to: $0.upperBound)
    }
    return try CallSite(in: tokens, line: line, column: column ?? found ?? 0, of: "expect")
  }
}

private struct Probe {
  struct Failure: Error {}

  func note<Value>(
    _ value: Value, label: Int = 0,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> CodeLocation { CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column) }

  func run(
    label: Int = 0,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ body: (Int) -> Void
  ) -> CodeLocation {
    body(1)
    return CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
