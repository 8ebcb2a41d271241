internal import StreamSchedulers
internal import Streams

/// The events of a stream as a diagram that can be written into the source of a test.
struct RecordedDiagram: Equatable {
  /// A name in the diagram and the literal of the value that it stands for.
  struct Value: Equatable {
    var name: String
    var literal: String
  }

  /// The symbols of the diagram and the times between them, to be joined with or without blanks.
  var symbols: [String]

  /// The values of all names, if the text of at least one value can't be its name.
  var values: [Value] = []

  /// The lines that show the diagram in a message.
  var lines: [String]

  /// The reason why the diagram can't be written, and what to do about it, in one or more sentences.
  var obstacle: String?

  var text: String { symbols.joined() }

  /// Creates the diagram of a recording, with times that count from `beginning`.
  init<Output, Failure, Time>(
    _ history: [Recorded<Output, Failure, Time>], from beginning: Time, frame: Int, error: Failure?
  ) where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
    var entries: [TimelineText.Entry] = []
    var values: [(name: String, value: Output)] = []
    var failure: Failure?
    for recorded in history where recorded.event.isSignal {
      var entry = TimelineText.Entry(nanoseconds: (recorded.time - beginning).nanoseconds, symbol: .finish)
      switch recorded.event {
      case .next(let value):
        entry.symbol = .value("\(value)")
        values.append(("\(value)", value))
      case .completion(.failure(let error)):
        entry.symbol = .failure
        failure = error
      case .completion(.finished), .subscription, .cancellation: break
      }
      entries.append(entry)
    }
    let row = TimelineText.Row(name: "", entries: entries, until: entries.last?.nanoseconds ?? 0)
    let timeline = TimelineText([row], frame: frame)
    symbols = timeline.symbols
    let legend = timeline.letters.legend.map { "  \($0.letter) = \(Self.oneLine($0.text))" }
    lines = timeline.lines() + (legend.isEmpty ? [] : [""] + legend)
    if let failure { lines += (legend.isEmpty ? [""] : []) + ["  # = \(Self.oneLine("\(failure)"))"] }

    if let failure, let error, !areEqual(error, failure) {
      obstacle = "It hasn't failed with the expected error, \(Self.oneLine("\(error)")). Correct the error argument."
    } else if let first = entries.first, first.nanoseconds < 0 {
      obstacle = "Its first event comes before the beginning of the diagram."
    } else if !timeline.letters.legend.isEmpty {
      nameValues(values, timeline.letters)
    }
    if obstacle == nil, !isFaithful(to: entries, timeline.letters, frame: frame) {
      obstacle = "A diagram can't express this. Compare the recording's events with a list."
    }
  }

  /// Finds literals for all values, because either all names in a diagram stand for given values or none do.
  private mutating func nameValues<Output>(_ all: [(name: String, value: Output)], _ letters: TimelineText.Letters) {
    let long = letters.legend.first?.text ?? ""
    let byHand =
      "Write the diagram by hand, with values: [\"\(letters.legend.first?.letter ?? "A")\": …] for all of its names, "
      + "or map the stream to shorter texts first."
    guard Output.self is any Equatable.Type else {
      obstacle =
        "A text is too long for a marble, and \(Output.self) is not Equatable, so it cannot be compared with values. "
        + "Map the stream to shorter texts first."
      return
    }
    var literals: [String: String] = [:]
    for (text, value) in all {
      guard let literal = LiteralText.of(value) else {
        obstacle =
          "A text is too long for a marble, \(Self.oneLine(long)), and the values cannot be written as literals. \(byHand)"
        return
      }
      if let other = literals[text], other != literal {
        obstacle = "Different values have the same text, \(Self.oneLine(text)). \(byHand)"
        return
      }
      if literals.updateValue(literal, forKey: text) == nil {
        let name = letters.legend.first { $0.text == text }?.letter ?? text
        values.append(Value(name: Self.unquoted(name), literal: literal))
      }
    }
  }

  /// Returns whether parsing the diagram yields the recorded events.
  private func isFaithful(to entries: [TimelineText.Entry], _ letters: TimelineText.Letters, frame: Int) -> Bool {
    let expected = entries.map { entry -> TimelineText.Entry in
      var entry = entry
      if case .value(let text) = entry.symbol, let letter = letters.legend.first(where: { $0.text == text })?.letter {
        entry.symbol = .value(Self.unquoted(letter))
      }
      return entry
    }
    return [symbols.joined(), symbols.joined(separator: "\n")].allSatisfy { text in
      guard let marbles = try? Marbles(text).parsed() else { return false }
      let parsed = marbles.compactMap { marble -> TimelineText.Entry? in
        let symbol: TimelineText.Symbol
        switch marble.symbol {
        case .value(let name): symbol = .value(name)
        case .finish: symbol = .finish
        case .failure: symbol = .failure
        case .subscription: symbol = .subscription
        case .cancellation: symbol = .cancellation
        case .nothing: return nil
        }
        return TimelineText.Entry(nanoseconds: marble.offset.nanoseconds(frame: frame), symbol: symbol)
      }
      return parsed == expected
    }
  }

  private static func unquoted(_ name: String) -> String {
    name.count > 2 && name.hasPrefix("'") && name.hasSuffix("'") ? String(name.dropFirst().dropLast()) : name
  }

  private static func oneLine(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    return line.count > 100 ? "\(line.prefix(99))…" : line
  }
}
