import Dispatch
import Foundation
import StreamSchedulers
import Streams
import Testing

@testable import StreamTesting

// `@testable`: diagrams for texts that were never compiled.

/// Diagrams that are written into texts that were never compiled.
@Suite
struct DiagramInsertionTests {
  private func diagram<Output>(
    _ events: [(milliseconds: Int, value: Output)], end: Int? = nil, frame: Int = 1_000_000
  ) -> RecordedDiagram {
    typealias Event = Recorded<Output, Never, DispatchQueue.SchedulerTimeType.Stride>
    var history = events.map { Event.next(at: .milliseconds($0.milliseconds), $0.value) }
    if let end { history.append(.completed(at: .milliseconds(end))) }
    return RecordedDiagram(history, from: .zero, frame: frame, error: nil)
  }

  private var short: RecordedDiagram { diagram([(2, "a")], end: 3) }

  private func written(
    _ diagram: RecordedDiagram, into source: String, after prefix: String = "expect", takesPublisher: Bool = true
  ) throws -> String {
    let copy = try SourceCopy(text: source)
    let outcome = copy.write(diagram, after: prefix, takesPublisher: takesPublisher)
    guard outcome == .written else {
      #expect(copy.text == source)
      return "\(outcome)"
    }
    return copy.text
  }

  // MARK: Layout

  @Test(arguments: [
    ("  s.expect(a)\n", "  s.expect(a, \"--a|\")  // recorded\n"),
    ("  s.expect(a)  \nb", "  s.expect(a, \"--a|\")  // recorded\nb"),
    ("  s.expect(a)", "  s.expect(a, \"--a|\")  // recorded"),
    ("  s.expect( a )", "  s.expect( a, \"--a|\" )  // recorded"),
    ("  s.expect(a,)", "  s.expect(a, \"--a|\",)  // recorded"),
    ("s.expect(a); b", "s.expect(a, \"--a|\") /* recorded */; b"),
    ("s.expect(a) // b", "s.expect(a, \"--a|\") /* recorded */ // b"),
    ("s.expect(a /* b */)", "s.expect(a, \"--a|\" /* b */)  // recorded"),
    ("s.expect(a.map { \"}),\" }, error: b)", "s.expect(a.map { \"}),\" }, \"--a|\", error: b)  // recorded"),
    ("s.expect(\r\n    a\r\n)\r\n", "s.expect(\r\n    a,\r\n    \"--a|\"\r\n)  // recorded\r\n"),
    ("s.expect(\n  a,  // b\n  error: c)", "s.expect(\n  a,\n  \"--a|\",  // b\n  error: c)  // recorded"),
    ("s.expect(\n  a, error: c)", "s.expect(\n  a, \"--a|\", error: c)  // recorded"),
    ("s.`expect`(a)", "s.`expect`(a, \"--a|\")  // recorded"),
    ("s.expect (a)", "no such call"),
    ("/* é */ s.expect(a) /* 🎈 */", "/* é */ s.expect(a, \"--a|\") /* recorded */ /* 🎈 */"),
  ])
  func `a short diagram is added to the line`(_ source: String, _ expected: String) throws {
    let prefix = source.contains("`") ? "expect`" : "expect"
    let result = try written(short, into: source, after: prefix)
    if expected == "no such call" { #expect(result.contains(expected)) } else { #expect(result == expected) }
  }

  @Test(arguments: [
    ("r.expect()", "r.expect(\"--a|\")  // recorded"),
    ("r.expect( )", "r.expect(\"--a|\")  // recorded"),
    ("r.expect(/* a */)", "r.expect(/* a */\"--a|\")  // recorded"),
    ("r.expect(error: a)", "r.expect(\"--a|\", error: a)  // recorded"),
  ])
  func `a recorder's diagram is its first argument`(_ source: String, _ expected: String) throws {
    #expect(try written(short, into: source, takesPublisher: false) == expected)
  }

  @Test func `a line that would be too long is divided`() throws {
    let name = String(repeating: "n", count: 80)
    let many = diagram((0..<20).map { (2 * $0, "a") })
    let text = (0..<20).map { _ in "a" }.joined(separator: "-")
    #expect(
      try written(many, into: "{\n    s.expect(\(name), error: b)\n}") == """
        {
            s.expect(
                \(name),
                "\(text)",
                error: b)  // recorded
        }
        """)
    #expect(
      try written(many, into: "{\n\ts.expect(\(name).map {\n\t\t$0\n\t})\n}") == """
        {
        \ts.expect(\(name).map {
        \t\t$0
        \t}, "\(text)")  // recorded
        }
        """)
    #expect(
      try written(many, into: "{\n  r.\(name).expect()\n}", takesPublisher: false) == """
        {
          r.\(name).expect(
            "\(text)")  // recorded
        }
        """)
    #expect(
      try written(many, into: "{\n  r.\(name).expect(error: a)\n}", takesPublisher: false) == """
        {
          r.\(name).expect(
            "\(text)",
            error: a)  // recorded
        }
        """)
    #expect(
      try written(many, into: "{\n  \(name).expect(/* c */ a)\n}") == """
        {
          \(name).expect(/* c */ a,
            "\(text)")  // recorded
        }
        """)
  }

  @Test func `a long diagram is a string of several lines`() throws {
    let copy = try SourceCopy(text: "{\n  s.expect(a)\n}\n")
    let many = diagram((0..<100).map { (2 * $0, "\($0)") } + [(1000, "\\"), (1000, "\"")], end: 3000)
    #expect(copy.write(many) == .written)
    let lines = copy.text.components(separatedBy: "\n")
    #expect(lines.count > 8)
    #expect(lines.allSatisfy { $0.count <= 120 && $0.last != " " })
    #expect(lines[1...3] == ["  s.expect(", "    a,", "    \"\"\""])
    #expect(lines.suffix(3) == ["    \"\"\")  // recorded", "}", ""])
    let content = try #require(copy.writtenDiagram)
    let scheduler = DispatchQueue.test
    let events = scheduler.hot(Marbles(content)).events
    #expect(events.count == 103)
    #expect(events.last == .completed(at: .milliseconds(3000)))
    #expect(events.suffix(3).first == .next(at: .milliseconds(1000), "\\"))
  }

  @Test func `a long list of values has a line for each`() throws {
    let texts = (1...4).map { "\($0) \(String(repeating: "é", count: 40))" }
    #expect(
      try written(diagram(texts.map { (1, $0) } + [(2, "x")]), into: "{\n  s.expect(a, error: b)\n}") == """
        {
          s.expect(
            a,
            "-(ABCD)x",
            values: [
              "A": "\(texts[0])",
              "B": "\(texts[1])",
              "C": "\(texts[2])",
              "D": "\(texts[3])",
              "x": "x",
            ],
            error: b)  // recorded
        }
        """)
  }

  // MARK: Sources that stay as they are

  @Test(arguments: [
    ("s.expect(a, \"--a|\")", "already has a diagram"), ("s.expect(a, b)", "already has a diagram"),
    ("s.expect()", "don't match"), ("s.expect(a, values: b)", "don't match"), ("s.expect(a", "as Swift source"),
    ("s.expect(a) \"", "as Swift source"), ("s.unexpect(a)", "A call of expect is not"),
    ("// s.expect(a)", "no call"), ("\"s.expect(a)\"", "no call"), ("s.expect(error: a)", "don't match"),
  ])
  func `a source that does not look as expected stays as it is`(_ source: String, _ reason: String) throws {
    let copy = try SourceCopy(text: source)
    guard case .refused(let found) = copy.write(short) else { return #expect(Bool(false), "\(source) was changed") }
    #expect("\(found.prefix(1).uppercased())\(found.dropFirst())".localizedCaseInsensitiveContains(reason))
    #expect(copy.text == source)
  }

  @Test func `a file that was changed since it was built stays as it is`() throws {
    let source = "s.expect(a)\n"
    let before = try SourceCopy(text: source, builtAt: Date(timeIntervalSinceNow: -3600))
    guard case .refused(let reason) = before.write(short) else { return #expect(Bool(false)) }
    #expect(reason.hasPrefix("the file has been changed since the test was built"))
    #expect(before.text == source)
    let after = try SourceCopy(text: source, builtAt: Date(timeIntervalSinceNow: 3600))
    #expect(after.write(short) == .written)
  }

  @Test func `a file that was changed by somebody else stays as it is`() throws {
    let copy = try SourceCopy(text: "s.expect(a)\nt.expect(b)\n")
    #expect(copy.write(short, after: "s.expect") == .written)
    let edited = "// A new line.\n" + copy.text
    try Data(edited.utf8).write(to: copy.url)
    guard case .refused(let reason) = copy.write(short, after: "t.expect") else { return #expect(Bool(false)) }
    #expect(reason.hasPrefix("the file has been changed since a diagram was written into it"))
    #expect(copy.text == edited)
  }

  @Test func `a missing file is reported`() throws {
    let copy = try SourceCopy(text: "s.expect(a)\n")
    try FileManager.default.removeItem(at: copy.url)
    guard case .refused(let reason) = copy.write(short) else { return #expect(Bool(false)) }
    #expect(reason.hasPrefix("the file cannot be read or written"))
    #expect(!FileManager.default.fileExists(atPath: copy.url.path))
  }

  @Test func `writing keeps the permissions, the link and nothing beside the file`() throws {
    let copy = try SourceCopy(text: "s.expect(a)\n")
    let folder = copy.url.deletingLastPathComponent()
    let target = folder.appendingPathComponent("Target.swift")
    try FileManager.default.moveItem(at: copy.url, to: target)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target.path)
    try FileManager.default.createSymbolicLink(at: copy.url, withDestinationURL: target)
    #expect(copy.write(short) == .written)
    #expect(try String(contentsOf: target, encoding: .utf8) == "s.expect(a, \"--a|\")  // recorded\n")
    let attributes = try FileManager.default.attributesOfItem(atPath: target.path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: copy.url.path).hasSuffix("Target.swift"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["Copied.swift", "Target.swift"])
  }

  // MARK: What is written parses back

  @Test(arguments: [
    "--a-b|", "(ab)-c#", "a 300ms b 1.5s (cd)|", "'hello'-'a b'-c|", "-1-2 15ms 3 s|", "a 12us b 7ns |", "1s2m|", "-a",
    "-'|'-'#'-' '|", "-\"-\\-'\\(a)'|", "-'—'-'\t'-'\u{a0}'|", "-'a\tb'-'\u{7}'-é🎈|", "- 3h", "-'12 ms' 90m x",
    "(1 2 3)- 1234567ns 1m",
  ])
  func `a written diagram has the recorded events`(_ marbles: String) throws {
    for frame in [1, 7, 1000] {
      let scheduler = DispatchQueue.test
      scheduler.frame = .milliseconds(frame)
      let hot = scheduler.hot(Marbles(marbles), error: TestFailure())
      let recorder = scheduler.record(hot)
      scheduler.run()
      // Another frame than that of the source, so that times do not fit it.
      let recorded = RecordedDiagram(recorder.history, from: .zero, frame: 5_000_000, error: nil)
      let copy = try SourceCopy(text: "s.expect(a)\n")
      #expect(copy.write(recorded) == .written)
      let written = try #require(copy.writtenDiagram)
      let other = DispatchQueue.test
      other.frame = .milliseconds(5)
      #expect(other.hot(Marbles(written), error: TestFailure()).events == hot.events, "\(marbles): \(copy.text)")
    }
  }

  @Test func `a time that a diagram cannot express is not written`() throws {
    typealias Event = Recorded<String, Never, DispatchQueue.SchedulerTimeType.Stride>
    let time = 9_007_199_254_740_993
    let history = [Event.next(at: .nanoseconds(time), "a")]
    let recorded = RecordedDiagram(history, from: .zero, frame: 1_000_000, error: nil)
    #expect(recorded.obstacle?.hasPrefix("A diagram can't express this") == true)
    let earlier = RecordedDiagram(history, from: .nanoseconds(time + 1), frame: 1_000_000, error: nil)
    #expect(earlier.obstacle?.hasPrefix("Its first event comes before the beginning") == true)
    let copy = try SourceCopy(text: "s.expect(a)\n")
    #expect(copy.write(recorded) == .refused(recorded.obstacle ?? ""))
    #expect(copy.text == copy.original)
  }

  // MARK: Literals

  @Test func `values have literals if their types say how they are made`() {
    #expect(LiteralText.of("a\"\\\n\u{1}é👨‍👩‍👧") == #""a\"\\\n\u{1}é👨‍👩‍👧""#)
    #expect(LiteralText.of(-1.5) == "-1.5")
    #expect(LiteralText.of(Double.infinity) == nil)
    #expect(LiteralText.of([UInt8(1), 2]) == "[1, 2]")
    #expect(LiteralText.of(["b": [true], "a": []]) == #"["a": [], "b": [true]]"#)
    #expect(LiteralText.of([String: Int]()) == "[:]")
    #expect(LiteralText.of(Set([3, 1, 2])) == "[1, 2, 3]")
    #expect(LiteralText.of([Int?.none, 1]) == "[nil, 1]")
    #expect(LiteralText.of(State.loading) == ".loading")
    #expect(LiteralText.of(State.found(["x"])) == #".found(["x"])"#)
    #expect(LiteralText.of(State.both("x", count: 2)) == #".both("x", count: 2)"#)
    #expect(LiteralText.of(State.named(name: "x")) == #".named(name: "x")"#)
    #expect(LiteralText.of(Structure(a: 1)) == nil)
    #expect(LiteralText.of([Structure(a: 1)]) == nil)
    #expect(LiteralText.of(State.other(Structure(a: 1))) == nil)
    #expect(LiteralText.of(AnyHashable("x")) == nil)
    #expect(LiteralText.of((1, 2)) == nil)
    #expect(LiteralText.of(1..<2) == nil)
    #expect(LiteralText.of(Described.one) == nil)
  }

  @Test func `values without literals are left to the reader`() {
    let structures = diagram([(0, Structure(a: 1))])
    #expect(structures.obstacle?.contains("the values cannot be written as literals") == true)
    #expect(structures.obstacle?.contains("values: [\"A\": …]") == true)
    #expect(diagram([(0, Incomparable(text: "a text that is too long"))]).obstacle?.contains("not Equatable") == true)
    let same = [Same.one("a text that is too long"), .two("a text that is too long")]
    #expect(diagram(same.map { (0, $0) }).obstacle?.contains("Different values have the same text") == true)
    let states = diagram([(0, State.found(["a", "b"])), (1, .loading), (2, .found(["a", "b"]))])
    #expect(states.obstacle == nil)
    #expect(states.text == "A'loading'A")
    #expect(states.values.map(\.name) == ["A", "loading"])
    #expect(states.values.map(\.literal) == [#".found(["a", "b"])"#, ".loading"])
    #expect(states.lines.last == #"  A = found(["a", "b"])"#)
  }

  @Test func `more long texts than letters have longer names`() {
    let many = diagram((0..<30).map { ($0, "a text that is too long \($0)") })
    #expect(many.obstacle == nil)
    #expect(many.values.last?.name == "value 30")
    #expect(many.text.hasSuffix("'value 30'"))
  }
}

private enum State: Equatable {
  case loading
  case found([String])
  case both(String, count: Int)
  case named(name: String)
  case other(Structure)
}

private struct Structure: Equatable {
  var a: Int
}

private enum Described: CustomStringConvertible {
  case one
  var description: String { "two" }
}

private struct Incomparable: CustomStringConvertible {
  var text: String
  var description: String { text }
}

private enum Same: Equatable, CustomStringConvertible {
  case one(String)
  case two(String)

  var description: String {
    switch self {
    case .one(let text), .two(let text): text
    }
  }
}
