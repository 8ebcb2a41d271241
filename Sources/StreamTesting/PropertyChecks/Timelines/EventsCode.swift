internal import StreamSchedulers
internal import Streams

/// Swift expressions for times.
enum TimeCode {
  /// Returns the shortest expression without a type: `.milliseconds(300)`.
  static func expression(_ nanoseconds: Int) -> String {
    let units = [
      (1_000_000_000, "seconds"), (1_000_000, "milliseconds"), (1000, "microseconds"), (1, "nanoseconds"),
    ]
    if nanoseconds == 0 { return ".zero" }
    let unit = units.first { nanoseconds % $0.0 == 0 } ?? units[3]
    return ".\(unit.1)(\(nanoseconds / unit.0))"
  }
}

/// The Swift arguments with which `hot` and `cold` make a publisher of events.
struct EventsCode {
  let arguments: String

  init<Output, Failure, Time>(_ events: [Recorded<Output, Failure, Time>])
  where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
    let failure = Self.failure(in: events).map { ", error: \($0)" } ?? ""
    let conversion = Self.conversion(Output.self)
    arguments =
      Self.marbles(events).map { "\"\($0)\"\(failure)\(conversion)" }
      ?? events.map { Self.expression($0) }.joined(separator: ", ")
  }

  /// The diagram of the events, if each value of it is written as its text.
  private static func marbles<Output, Failure, Time>(_ events: [Recorded<Output, Failure, Time>]) -> String?
  where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
    if events.isEmpty { return "-" }
    guard Output.self == String.self || Output.self == Int.self else { return nil }
    var line = MarbleDiagram.Line("", "publishes", events, from: 0, shiftedBy: 0) { _ in [] }
    line.until = line.entries.last?.nanoseconds ?? 0
    let diagram = TimelineText(
      [TimelineText.Row(name: "", entries: line.entries, from: 0, until: line.until)], frame: 1_000_000)
    let lines = diagram.lines()
    // Failures of a diagram are all the same.
    guard diagram.letters.legend.isEmpty, lines.count == 1 else { return nil }
    return String(lines[0].drop { $0 == " " })
  }

  private static func conversion<Output>(_: Output.Type) -> String {
    if Output.self == String.self { return "" }
    if Output.self == Int.self { return ", values: { Int($0) }" }
    return ", values: { _ in \(Output.self)?.none }"
  }

  private static func failure<Output, Failure, Time>(in events: [Recorded<Output, Failure, Time>]) -> String? {
    if Failure.self == Never.self { return nil }
    for case .completion(.failure(let failure)) in events.map(\.event) { return String(reflecting: failure) }
    return "\(Failure.self)?.none"
  }

  private static func expression<Output, Failure, Time>(_ recorded: Recorded<Output, Failure, Time>) -> String
  where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
    let time = TimeCode.expression(recorded.time.nanoseconds)
    return switch recorded.event {
    case .next(let value): ".next(at: \(time), \(String(reflecting: value)))"
    case .completion(.finished): ".completed(at: \(time))"
    case .completion(.failure(let error)): ".failure(at: \(time), \(String(reflecting: error)))"
    case .subscription: ".subscription(at: \(time))"
    case .cancellation: ".cancellation(at: \(time))"
    }
  }
}

extension DemandScript where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
  /// The script as a Swift expression.
  var code: String {
    func text(_ demand: Subscribers.Demand) -> String {
      demand.max.map { $0 == 0 ? ".none" : ".max(\($0))" } ?? ".unlimited"
    }
    let requests = requests.map { ".request(at: \(TimeCode.expression($0.time.nanoseconds)), \(text($0.demand)))" }
    var arguments = text(initial)
    if perValue > .none { arguments += ", perValue: \(text(perValue))" }
    if !requests.isEmpty { arguments += ", requests: [\(requests.joined(separator: ", "))]" }
    return "DemandScript<DispatchQueue.SchedulerTimeType.Stride>.initial(\(arguments))"
  }
}
