import StreamAlgorithms
import StreamTesting
import Testing

/// The values of an example are those of the picture beside it.
struct DiagramExampleTests {
  /// The diagrams beside examples without literal values: they use the publishers and types of an app.
  private static let examplesWithoutValues: Set<String> = [
    "assertNoFailure", "autoconnect", "breakpoint", "breakpointOnError", "buffer-by", "buffer-customError",
    "buffer-dropNewest", "buffer-dropOldest", "catch", "checkpoint", "collect-byTime", "collect-byTimeOrCount",
    "combineLatest", "combineLatest-many", "create", "debounce", "decode", "deferred", "delay", "delay-subscription",
    "dematerialize", "distinct-by", "drain", "drop-untilOutputFrom", "empty", "encode", "fail", "finish-when",
    "flatMap", "flatMap-maxPublishers", "flatMap-maxTasks", "flatMap-maxTasks-by", "flatMapFirst", "flatMapLatest",
    "groupBy", "handleEvents", "ignoreFailure", "makeConnectable", "map-maxTasks", "map-maxTasks-by", "mapError",
    "mapToPhase", "mapToResult", "measureInterval", "merge", "multicast", "partition", "pausable", "pausable-buffering",
    "poll", "prefix-duration", "prefix-untilOutputFrom", "prefix-while-behavior", "race", "rateLimit", "receive-on",
    "replaceError", "retry", "retry-exhausted", "retry-policy", "retry-when", "sample", "setFailureType",
    "setOutputType", "share", "share-replay", "subscribe-on", "switchIfEmpty", "switchToLatest", "throttle-first",
    "throttle-latest", "timeout", "timeout-customError", "timerPublisher", "window", "withLatest", "zip-many",
  ]

  private static let comments = SourceTree.modules.flatMap { module in
    (try? SourceTree.documents(of: module))?.filter { $0.name.hasSuffix(".swift") }
      .flatMap { SourceTree.commentsWithDiagrams(in: $0.lines) } ?? []
  }

  @Test func `a picture shows the values of the example beside it`() throws {
    for (diagrams, comment) in Self.comments {
      let shown = try diagrams.reduce(into: Set<String>()) { try $0.formUnion(valuesShown(in: $1)) }
      let missing = Example(comment).values.filter { !shown.contains($0) }
      #expect(missing == [], "\(diagrams): the example has these values, and the picture has not: \(shown.sorted())")
    }
  }

  @Test func `the examples without values are known`() {
    let withoutValues = Self.comments.filter { !Example($0.comment).code.isEmpty && Example($0.comment).values.isEmpty }
    #expect(Set(withoutValues.flatMap(\.diagrams)).sorted() == Self.examplesWithoutValues.sorted())
  }

  @Test func `the values of an example are found`() {
    func values(_ code: String) -> [String] { Example(["Does it.", "", "    \(code)", ""]).values }
    #expect(values("[1, 2].publisher.map { $0 * 10 }   // 10 20") == ["1", "2", "10", "20"])
    #expect(values(#"["a", "bcd"].publisher.map(\.count)   // 1 3"#) == ["a", "bcd", "1", "3"])
    #expect(values(#"numbers.zip(letters)   // (1, "a") (2, "b")"#) == ["1", "a", "2", "b"])
    #expect(values(#"let name = CurrentValueRelay("Ada")   // Ada, then nothing"#) == ["Ada", "Ada"])
    #expect(values("(1...).publisher.contains(3)   // true") == ["1", "true"])
    #expect(values("load().retry(3)") == [])
    #expect(values("mirrors[0].load(page).race(with: mirrors[1].load(page))") == [])
  }

  /// The texts of the marbles in a picture, in pieces: `1a` shows 1 and a.
  private func valuesShown(in name: String) throws -> Set<String> {
    let entry = try #require(DiagramCatalog.all.first { $0.name == name })
    let svg = Canvas.diagram(of: entry).svg()
    let marbles = svg.matches(of: #/font-size="12"[^>]*>([^<]*)</#).map(\.output.1)
    let tooltips = svg.matches(of: #/<title>([^<]*)<\/title>\n<text/#).map(\.output.1)
    return Set((marbles + tooltips).flatMap { Example.pieces(of: $0.replacing("&quot;", with: " ")) })
  }
}

/// The code in a doc comment.
private struct Example {
  let code: [String]

  init(_ comment: [String]) {
    var isFenced = false
    var code: [String] = []
    for line in comment {
      if line.hasPrefix("```") {
        isFenced.toggle()
      } else if isFenced || line.hasPrefix("    ") {
        code.append(line)
      }
    }
    self.code = code
  }

  /// The literal elements of arrays, the literal values that are sent, and the values in trailing comments.
  var values: [String] {
    var values: [String] = []
    for line in code {
      let parts = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)
      for match in parts[0].matches(of: #/(?:^|\W)\[([^\[\]:]*)\]/#) where match.output.1.contains(#/^["\dtfn]/#) {
        values += match.output.1.split(separator: ",").flatMap(Self.pieces)
      }
      let sent = #/(?:Just|send|accept|success|prepend|Relay|Never>)\(("\w+"|\d+)\)|\((\d+)\.\.\.\)|value = (\d+)/#
      for match in parts[0].matches(of: sent) {
        values += Self.pieces(of: match.output.1 ?? match.output.2 ?? match.output.3 ?? "")
      }
      // In a comment, words are prose unless they are in quotes, or values of the code.
      guard parts.count > 1 else { continue }
      let known = Set(values)
      let comment = parts[1].replacing(#/\w+: /#, with: "")
      for match in comment.matches(of: #/"(\w+)"|(\w+)/#) {
        if let quoted = match.output.1 {
          values += Self.pieces(of: quoted)
        } else if let word = match.output.2.map(String.init) {
          if word.allSatisfy(\.isNumber) || known.contains(word) || ["true", "false"].contains(word) {
            values.append(word)
          }
        }
      }
    }
    return values
  }

  /// The numbers and the words in a text.
  static func pieces(of text: some StringProtocol) -> [String] {
    String(text).matches(of: #/\d+|[[:alpha:]]+/#).map { String($0.output) }
  }
}
