internal import StreamSchedulers
public import Streams

/// A picture of streams over time: the sources above an operator, and its result below.
///
/// It's created from recordings, so it shows what really happened:
///
/// ```swift
/// let letters = scheduler.hot("a-bc---d|")
/// let recorder = scheduler.record(letters.debounce(for: .milliseconds(2), scheduler: scheduler))
/// scheduler.run()
/// let diagram = MarbleDiagram([.line(letters), .operator("debounce(for: 2 ms)"), .line(recorder)], frame: scheduler.frame)
/// print(diagram.text)
/// try diagram.svg(.light).write(toFile: "debounce.svg", atomically: true, encoding: .utf8)
/// ```
///
/// The same recordings yield the same text and the same bytes of SVG on every machine.
///
/// **Colors.** A value has the colors of its *origins*: the source values that it came from. A marble with several
/// origins is divided into their colors, at most six. By default, the only origin of a value is the value itself, so
/// equal values have the same color. For values that carry their origins through the operators, pass an `origins`
/// closure:
///
/// ```swift
/// struct Traced {
///   var text: String
///   var origins: [String]
/// }
///
/// let pairs = letters.scan(Traced(text: "", origins: [])) { Traced(text: $0.text + $1, origins: $0.origins + [$1]) }
/// let recorder = scheduler.record(pairs)
/// scheduler.run()
/// let diagram = MarbleDiagram(
///   [
///     .line(letters), .operator("scan { $0 + $1 }"),
///     .line(recorder, origins: \.origins),
///   ], frame: scheduler.frame)
/// ```
///
/// A value without origins, such as the one from `replaceEmpty(with:)`, has a color of its own. There are ten colors. A
/// picture with more origins reuses them.
///
/// **Subscriptions.** A triangle marks a subscription, and a dashed line a cancellation. Values that a hot publisher
/// sends while it doesn't have a subscriber are gray, unless it has never had one.
public struct MarbleDiagram: Sendable, Equatable {
  /// A stream, drawn from left to right.
  public struct Line: Sendable, Equatable {
    /// The name in front of the stream.
    package var name: String

    /// The verb that follows the name in a caption: `publishes` for a source, and `receives` for a recorder.
    package var verb: String
    var entries: [TimelineText.Entry]

    /// The beginning of the observation, and the time until which the stream continues if it doesn't end.
    var from: Int
    var until: Int

    /// The subscriptions to the publisher, or the recorder's own subscription.
    var listeners: [Listener] = []

    /// Indicates whether values are sent even without subscribers.
    var isHot = false

    /// The number of earlier subscriptions to the same cold publisher.
    var repetition = 0
  }

  struct Listener: Sendable, Equatable {
    var from: Int
    var until: Int?
    var isCancelled = false
  }

  /// A row of a picture.
  public enum Row: Sendable, Equatable {
    /// A stream.
    case line(Line)

    /// The box of an operator, with the given text.
    case `operator`(String)
  }

  /// The rows of the picture, from top to bottom.
  package var rows: [Row]

  /// The picture's title. The ``caption`` describes the events.
  package var title: String
  let frame: Int

  /// Creates a picture from rows.
  ///
  /// - Parameters:
  ///   - rows: The rows, from top to bottom.
  ///   - title: The title of the picture.
  ///   - frame: The duration of a frame, the unit into which the text and the time axis are divided.
  public init<Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable>(
    _ rows: [Row], title: String = "", frame: Time
  ) {
    self.init(rows, title: title, nanosecondsPerFrame: frame.nanoseconds)
  }

  init(_ rows: [Row], title: String, nanosecondsPerFrame frame: Int) {
    self.rows = rows
    self.title = title
    self.frame = max(1, frame)
  }

  /// The picture as text for a terminal.
  ///
  /// ```text
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
  /// Creates a row for a recorded stream.
  ///
  /// ```swift
  /// let row = MarbleDiagram.Row.line(recorder, name: "letters")
  /// ```
  ///
  /// - Parameters:
  ///   - recorder: The stream's recorder.
  ///   - name: The name in front of the stream.
  ///   - origins: A closure that returns the texts of a value's origins. By default, the only origin is the value itself.
  public static func line<Output, Failure, Time>(
    _ recorder: Recorder<Output, Failure, Time>, name: String = "",
    origins: (Output) -> [String] = { ["\($0)"] }
  ) -> Self {
    let history = recorder.history
    let start = history.first?.time.nanoseconds ?? 0
    var line = MarbleDiagram.Line(TimelineText.Row(name, "receives", history, from: start, origins))
    line.listeners = history.compactMap { recorded in
      guard case .subscription = recorded.event else { return nil }
      return MarbleDiagram.Listener(from: recorded.time.nanoseconds)
    }
    return .line(line)
  }

  /// Creates a row that shows a hot publisher's events and the subscriptions to it.
  ///
  /// ```swift
  /// let row = MarbleDiagram.Row.line(letters, name: "letters")
  /// ```
  ///
  /// - Parameters:
  ///   - hot: The hot publisher.
  ///   - name: The name in front of the stream.
  ///   - origins: A closure that returns the texts of a value's origins. By default, the only origin is the value itself.
  public static func line<Output, Failure, Time>(
    _ hot: HotPublisher<Output, Failure, Time>, name: String = "",
    origins: (Output) -> [String] = { ["\($0)"] }
  ) -> Self {
    var line = MarbleDiagram.Line(TimelineText.Row(name, "publishes", hot.events, origins))
    line.isHot = true
    line.listeners = hot.subscriptions.map { MarbleDiagram.Listener($0) }
    line.until = line.listeners.reduce(line.until) { max($0, $1.from, $1.until ?? 0) }
    return .line(line)
  }

  /// Creates a row of events for each subscription to a cold publisher.
  ///
  /// ```swift
  /// let rows = MarbleDiagram.Row.lines(answers, name: "answers")
  /// ```
  ///
  /// - Parameters:
  ///   - cold: The cold publisher.
  ///   - name: The name in front of each stream.
  ///   - origins: A closure that returns the texts of a value's origins. By default, the only origin is the value itself.
  public static func lines<Output, Failure, Time>(
    _ cold: ColdPublisher<Output, Failure, Time>, name: String = "",
    origins: (Output) -> [String] = { ["\($0)"] }
  ) -> [Self] {
    cold.subscriptions.enumerated().map { index, subscription in
      let start = subscription.subscribed.nanoseconds
      var line = MarbleDiagram.Line(
        TimelineText.Row(name, "publishes", cold.events, from: start, shiftedBy: start, origins))
      line.listeners = [MarbleDiagram.Listener(subscription)]
      line.repetition = index
      if let end = subscription.ended?.nanoseconds, subscription.end == .cancelled {
        line.entries = Array(line.entries.prefix(subscription.playedCount))
        line.entries.append(TimelineText.Entry(nanoseconds: end, symbol: .cancellation))
        line.until = end
      }
      return .line(line)
    }
  }
}

extension MarbleDiagram.Listener {
  fileprivate init<Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable>(
    _ subscription: RecordedSubscription<Time>
  ) {
    self.init(
      from: subscription.subscribed.nanoseconds, until: subscription.ended?.nanoseconds,
      isCancelled: subscription.end == .cancelled)
  }
}

extension MarbleDiagram.Line {
  init(_ row: TimelineText.Row) {
    self.init(name: row.name, verb: row.verb, entries: row.entries, from: row.from, until: row.until)
  }

  /// The times at which a subscriber cancelled, in order.
  var cancellations: [Int] {
    let recorded = entries.filter { $0.symbol == .cancellation }.map(\.nanoseconds)
    return Set(recorded + listeners.filter(\.isCancelled).compactMap(\.until)).sorted()
  }

  /// Returns whether an event at the given time reaches a subscriber, or `true` if the publisher has never had one.
  func isHeard(at time: Int) -> Bool {
    !isHot || listeners.isEmpty || listeners.contains { $0.from <= time && time <= $0.until ?? .max }
  }
}
