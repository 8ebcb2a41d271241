internal import StreamSchedulers
internal import Streams

/// The expected events of a stream, which are compared with the recorded ones.
struct Expectation<Output> {
  struct Event {
    enum Kind {
      /// A value: its text, a predicate for recorded values, and the value itself if it's known.
      case value(String, matches: (Output) -> Bool, known: Any?)
      case finish
      case failure(String, matches: (any Error) -> Bool)
    }

    var nanoseconds: Int
    var kind: Kind
  }

  var events: [Event]

  /// The time up to which the stream is observed.
  var until = 0

  /// Indicates whether the diagram is free of mistakes. If not, that has been reported, and nothing is compared with
  /// it.
  var isSound = true

  /// A closure that returns the text of a recorded value.
  var name: (Output) -> String = { "\($0)" }

  /// The values that names stand for, if their text differs from the name.
  var legend: [String] = []
}

extension Expectation {
  /// Creates an expectation from a diagram whose values are compared by their text.
  init(_ marbles: Marbles, frame: Int, error: (any Error)?, _ location: CodeLocation) {
    self.init(marbles, frame: frame, error: error, location) { name in
      .value(name, matches: { "\($0)" == name }, known: nil)
    }
  }

  /// Creates an expectation from a diagram in which each name stands for a value.
  init(
    _ marbles: Marbles, frame: Int, values: MarbleValues<Output>, error: (any Error)?, _ location: CodeLocation
  ) where Output: Equatable {
    var names: [(Output, String)] = []
    self.init(marbles, frame: frame, error: error, location) { name in
      guard let value = values.value(name) else { return nil }
      names.append((value, name))
      return .value(name, matches: { $0 == value }, known: value)
    }
    self.name = { value in names.first { $0.0 == value }?.1 ?? "\(value)" }
    for (value, name) in names where "\(value)" != name && !legend.contains("\(name) = \(value)") {
      legend.append("\(name) = \(value)")
    }
  }

  private init(
    _ marbles: Marbles, frame: Int, error: (any Error)?, _ location: CodeLocation, value: (String) -> Event.Kind?
  ) {
    events = []
    var (events, until) = (events, 0)
    isSound = marbles.read(location) { marble in
      let nanoseconds = marble.offset.nanoseconds(frame: frame)
      until = max(until, nanoseconds)
      let kind: Event.Kind
      switch marble.symbol {
      case .nothing, .subscription: return nil
      case .value(let name):
        guard let value = value(name) else { return "no value is given for this name" }
        kind = value
      case .finish: kind = .finish
      case .failure:
        kind = .failure(
          error.map { "failed: \($0)" } ?? "failed", matches: { found in error.map { areEqual($0, found) } ?? true })
      case .cancellation: return "a cancellation belongs in the diagram of a subscription"
      }
      events.append(Event(nanoseconds: nanoseconds, kind: kind))
      return nil
    }
    (self.events, self.until) = (events, until)
  }

  /// Creates an expectation from a list of events, with times that count from `beginning`, which may lie before the
  /// recording.
  init<Failure, Time>(_ recorded: [Recorded<Output, Failure, Time>], from beginning: Time)
  where Output: Equatable, Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
    events = recorded.inOrder().compactMap { recorded in
      let nanoseconds = (recorded.time - beginning).nanoseconds
      switch recorded.event {
      case .next(let value):
        return Event(
          nanoseconds: nanoseconds, kind: .value("\(value)", matches: { $0 == value }, known: value))
      case .completion(.finished): return Event(nanoseconds: nanoseconds, kind: .finish)
      case .completion(.failure(let error)):
        return Event(
          nanoseconds: nanoseconds, kind: .failure("failed: \(error)", matches: { areEqual(error, $0) }))
      case .subscription, .cancellation: return nil
      }
    }
    until = events.last?.nanoseconds ?? 0
  }
}

// MARK: - Comparing

extension Expectation {
  /// Returns the difference between the expected and the recorded events, if any.
  func mismatch<Failure, Time>(
    with history: [Recorded<Output, Failure, Time>], from beginning: Time, frame: Int
  ) -> Mismatch? where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
    let actual = history.filter(\.event.isSignal).map { ActualEvent($0, from: beginning) }
    let comparisons = compare(actual)
    guard comparisons.contains(where: { !$0.isEqual }) else { return nil }

    let expectedRow = TimelineText.Row(name: "expected", entries: events.map(\.entry), until: until)
    let actualRow = TimelineText.Row(
      name: "actual", entries: actual.map { $0.entry(name) }, until: max(until, actual.last?.nanoseconds ?? 0))
    let timelines = TimelineText([expectedRow, actualRow], frame: frame)
    let marked = Set(comparisons.filter { !$0.isEqual }.map(\.nanoseconds))
    var notes: [String] = []
    // Only if no event comes at its expected time: a single early or late event isn't due to the frame.
    if !actual.isEmpty, actual.count <= events.count, comparisons.allSatisfy({ !$0.isEqual }),
      zip(events, actual).allSatisfy({ $0.matches($1.event) })
    {
      notes += [
        "",
        "The events are as expected, but at different times. A character in a diagram lasts "
          + "\(DurationText.described(frame)) here. To change that, set the scheduler's frame.",
      ]
    }
    if beginning != .zero {
      notes += ["", "The diagram and its times begin at \(DurationText.described(beginning.nanoseconds))."]
    }
    return Mismatch(
      timelines: timelines.lines(marking: marked).map { "  \($0)" }, table: table(comparisons, timelines.letters),
      legend: legendLines, fields: comparisons.filter { !$0.isEqual }.flatMap(fieldLines), notes: notes,
      rows: [expectedRow, actualRow], frame: frame)
  }

  private struct ActualEvent<Failure: Error> {
    var nanoseconds: Int
    var event: Recorded<Output, Failure, Never>.Event

    init<Time>(_ recorded: Recorded<Output, Failure, Time>, from beginning: Time)
    where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
      nanoseconds = (recorded.time - beginning).nanoseconds
      switch recorded.event {
      case .next(let value): event = .next(value)
      case .completion(let completion): event = .completion(completion)
      case .subscription: event = .subscription
      case .cancellation: event = .cancellation
      }
    }

    func entry(_ name: (Output) -> String) -> TimelineText.Entry {
      let symbol: TimelineText.Symbol =
        switch event {
        case .next(let value): .value(name(value))
        case .completion(.finished): .finish
        case .completion(.failure): .failure
        case .subscription: .subscription
        case .cancellation: .cancellation
        }
      return TimelineText.Entry(nanoseconds: nanoseconds, symbol: symbol)
    }
  }

  /// An expected and an actual event at the same moment, one of which may be missing.
  private struct Comparison {
    var nanoseconds: Int
    var expected: String?
    var actual: String?
    var isEqual: Bool
    var values: (expected: Any, actual: Any)?
  }

  /// Pairs the expected and actual events at the same moment, in order.
  private func compare<Failure>(_ actual: [ActualEvent<Failure>]) -> [Comparison] {
    var comparisons: [Comparison] = []
    var (expected, found) = (events[...], actual[...])
    while let moment = [expected.first?.nanoseconds, found.first?.nanoseconds].compactMap(\.self).min() {
      let wanted = expected.prefix { $0.nanoseconds == moment }
      let came = found.prefix { $0.nanoseconds == moment }
      // An event that matches a later one at the same moment isn't paired with a different one.
      let indexOfExpectedMatch = came.first.map { one in wanted.firstIndex { $0.matches(one.event) } } ?? nil
      let indexOfActualMatch = wanted.first.map { one in came.firstIndex { one.matches($0.event) } } ?? nil
      let lacksExpected = wanted.isEmpty || indexOfActualMatch.map { $0 > found.startIndex } ?? false
      let lacksActual = came.isEmpty || !lacksExpected && indexOfExpectedMatch.map { $0 > expected.startIndex } ?? false
      comparisons.append(
        comparison(lacksExpected ? nil : expected.popFirst(), lacksActual ? nil : found.popFirst(), at: moment))
    }
    return comparisons
  }

  private func comparison<Failure>(
    _ expected: Event?, _ actual: ActualEvent<Failure>?, at moment: Int
  ) -> Comparison {
    var comparison = Comparison(nanoseconds: moment, isEqual: false)
    comparison.expected = expected?.text
    comparison.actual = actual.map { event in
      if case .next(let value) = event.event { name(value) } else { "\(event.event)" }
    }
    if let expected, let actual {
      comparison.isEqual = expected.matches(actual.event)
      if case .value(_, _, let known?) = expected.kind, case .next(let value) = actual.event {
        comparison.values = (known, value)
      }
    }
    return comparison
  }

  private var legendLines: [String] {
    if legend.isEmpty { return [] }
    let line = "  where " + legend.joined(separator: ", ")
    return line.count <= 100 ? ["", line] : ["", "  where"] + legend.map { "    \(indented($0, "      "))" }
  }

  private func table(_ comparisons: [Comparison], _ letters: TimelineText.Letters) -> [Mismatch.TableRow] {
    func text(_ side: String?) -> String {
      guard let side else { return "–" }
      let letter = letters.legend.first { $0.text == side }?.letter
      return letter.map { "\($0) = \(side)" } ?? side
    }
    let rows = comparisons.map { comparison in
      (
        DurationText.described(comparison.nanoseconds), text(comparison.expected), text(comparison.actual),
        comparison.isEqual
      )
    }
    let timeWidth = rows.map(\.0.count).max() ?? 0
    let longest = max(8, rows.map(\.1.count).max() ?? 0)
    // Texts that are too wide for two columns are printed on separate lines.
    guard longest <= 40 else {
      return rows.map { time, expected, actual, isEqual in
        let start = "  \(isEqual ? " " : "≠")  \(time.leftPadded(to: timeWidth))  "
        let indentation = String(repeating: " ", count: start.count)
        let texts =
          isEqual
          ? [start + indented(expected, indentation)]
          : [
            "\(start)expected  \(indented(expected, indentation + "          "))",
            "\(indentation)actual    \(indented(actual, indentation + "          "))",
          ]
        return Mismatch.TableRow(texts, isEqual: isEqual)
      }
    }
    let header = "     \(String(repeating: " ", count: timeWidth))  \("expected".padded(to: longest))  actual"
    return [Mismatch.TableRow([header], isEqual: true, isHeader: true)]
      + rows.map { time, expected, actual, isEqual in
        let columns = "\(time.leftPadded(to: timeWidth))  \(expected.padded(to: longest))  \(actual)"
        return Mismatch.TableRow(["  \(isEqual ? " " : "≠")  \(columns)"], isEqual: isEqual)
      }
  }

  private func indented(_ text: String, _ indentation: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\(indentation)")
  }

  private func fieldLines(_ comparison: Comparison) -> [String] {
    guard let values = comparison.values else { return [] }
    let differences = ValueDifferences(values.expected, values.actual).all
    guard !differences.isEmpty else { return [] }
    let width = differences.map(\.path.count).max() ?? 0
    return ["", "  At \(DurationText.described(comparison.nanoseconds)) these parts differ:"]
      + differences.map { "    \($0.path.padded(to: width))  expected \($0.expected), actual \($0.actual)" }
  }
}

extension Expectation.Event {
  fileprivate var entry: TimelineText.Entry {
    let symbol: TimelineText.Symbol =
      switch kind {
      case .value(let name, _, _): .value(name)
      case .finish: .finish
      case .failure: .failure
      }
    return TimelineText.Entry(nanoseconds: nanoseconds, symbol: symbol)
  }

  fileprivate var text: String {
    switch kind {
    case .value(let name, _, _): name
    case .finish: "finished"
    case .failure(let text, _): text
    }
  }

  fileprivate func matches<Failure>(_ event: Recorded<Output, Failure, Never>.Event) -> Bool {
    switch (kind, event) {
    case (.value(_, let matches, _), .next(let value)): matches(value)
    case (.finish, .completion(.finished)): true
    case (.failure(_, let matches), .completion(.failure(let error))): matches(error)
    default: false
    }
  }
}

extension String {
  func leftPadded(to width: Int) -> String {
    count < width ? String(repeating: " ", count: width - count) + self : self
  }
}
