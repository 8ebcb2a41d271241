internal import StreamSchedulers
public import Streams

/// A picture of streams over time: sources above, an operator, its result below.
///
/// It is created from recordings, so it shows what really happened:
///
/// ```swift
/// let letters = scheduler.hot("a-bc---d|")
/// let recorder = scheduler.record(letters.debounce(for: .milliseconds(2), scheduler: scheduler))
/// scheduler.run()
/// let diagram = MarbleDiagram([.line(letters), .operator("debounce(for: 2 ms)"), .line(recorder)], frame: .milliseconds(1))
/// print(diagram.text)
/// try diagram.svg(.light).write(toFile: "debounce.svg", atomically: true, encoding: .utf8)
/// ```
///
/// The same recordings yield the same text and the same bytes of SVG on every machine.
public struct MarbleDiagram: Sendable, Equatable {
  /// A stream, drawn from left to right.
  public struct Line: Sendable, Equatable {
    /// The name in front of the stream.
    public var name: String
    var entries: [TimelineText.Entry]

    /// The beginning of the observation, and the time until which the stream continues if it does not end.
    var from: Int
    var until: Int
  }

  /// A row of a picture.
  public enum Row: Sendable, Equatable {
    /// A stream.
    case line(Line)

    /// The box of an operator, with its text.
    case `operator`(String)
  }

  /// The rows of the picture, from top to bottom.
  public var rows: [Row]

  /// A textual alternative to the picture, for people who cannot see it.
  public var title: String
  let frame: Int

  /// Creates a picture of rows.
  ///
  /// - Parameters:
  ///   - rows: The rows, from top to bottom.
  ///   - title: A textual alternative to the picture.
  ///   - frame: The unit into which the text and the time axis are divided.
  public init<Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable>(
    _ rows: [Row], title: String = "", frame: Time
  ) {
    self.rows = rows
    self.title = title
    self.frame = max(1, frame.nanoseconds)
  }

  /// The picture as text for a terminal.
  ///
  /// ```
  /// letters  a-bc---d|
  ///          [ debounce(for: 2 ms) ]
  /// result   -----c--|
  /// ```
  public var text: String {
    let lines = lines
    let timelines = TimelineText(
      lines.map { TimelineText.Row(name: $0.name, entries: $0.entries, from: $0.from, until: until) }, frame: frame)
    let indentation = String(repeating: " ", count: (lines.map(\.name.count).max() ?? 0) + 2)
    var texts = timelines.lines()[...]
    var result: [String] = []
    // A picture that is too wide continues below itself.
    repeat {
      for row in rows {
        switch row {
        case .line: result.append(texts.popFirst() ?? "")
        case .operator(let name): result.append("\(indentation)[ \(name) ]")
        }
      }
    } while !texts.isEmpty && !lines.isEmpty
    return (result + timelines.letters.legend.map { "\($0.letter) = \($0.text)" }).joined(separator: "\n")
  }

  var lines: [Line] { rows.compactMap { if case .line(let line) = $0 { line } else { nil } } }

  /// The time at which the last stream ends.
  var until: Int { lines.map { max($0.until, $0.entries.last?.nanoseconds ?? 0) }.max() ?? 0 }
}

extension MarbleDiagram.Row {
  /// Creates a row with the stream of a recorder.
  ///
  /// - Parameters:
  ///   - recorder: The recorder of the stream.
  ///   - name: The name in front of the stream.
  /// - Returns: The row.
  public static func line<Output, Failure, Time>(_ recorder: Recorder<Output, Failure, Time>, name: String = "") -> Self
  {
    let history = recorder.history
    let start = history.first?.time.nanoseconds ?? 0
    return .line(MarbleDiagram.Line(name, history, from: start, shiftedBy: 0))
  }

  /// Creates a row with the events of a hot publisher.
  ///
  /// - Parameters:
  ///   - hot: The hot publisher.
  ///   - name: The name in front of the stream.
  /// - Returns: The row.
  public static func line<Output, Failure, Time>(_ hot: HotPublisher<Output, Failure, Time>, name: String = "") -> Self
  {
    .line(MarbleDiagram.Line(name, hot.events, from: 0, shiftedBy: 0))
  }

  /// Creates rows with the events that a cold publisher has played, one for each of its subscribers.
  ///
  /// - Parameters:
  ///   - cold: The cold publisher.
  ///   - name: The name in front of each stream.
  /// - Returns: The rows.
  public static func lines<Output, Failure, Time>(
    _ cold: ColdPublisher<Output, Failure, Time>, name: String = ""
  ) -> [Self] {
    cold.subscriptions.map { subscription in
      let start = subscription.subscribed.nanoseconds
      var line = MarbleDiagram.Line(name, cold.events, from: start, shiftedBy: start)
      if let end = subscription.ended?.nanoseconds, subscription.end == .cancelled {
        line.entries = Array(line.entries.prefix(subscription.playedCount))
        line.entries.append(TimelineText.Entry(nanoseconds: end, symbol: .cancellation))
        line.until = end
      }
      return .line(line)
    }
  }
}

extension MarbleDiagram.Line {
  init<Output, Failure, Time>(
    _ name: String, _ recorded: [Recorded<Output, Failure, Time>], from start: Int, shiftedBy shift: Int
  ) where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
    self.name = name
    from = start
    entries = recorded.inOrder().compactMap { recorded in
      let symbol: TimelineText.Symbol
      switch recorded.event {
      case .next(let value): symbol = .value("\(value)")
      case .completion(.finished): symbol = .finish
      case .completion(.failure): symbol = .failure
      case .cancellation: symbol = .cancellation
      case .subscription: return nil
      }
      return TimelineText.Entry(nanoseconds: recorded.time.nanoseconds + shift, symbol: symbol)
    }
    until = entries.last?.nanoseconds ?? start
  }
}
