internal import StreamSchedulers
internal import Streams

/// The Swift arguments with which `hot` and `cold` create a publisher that sends the events.
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

  /// Returns the diagram of the events if each value can be written as its text.
  private static func marbles<Output, Failure, Time>(_ events: [Recorded<Output, Failure, Time>]) -> String?
  where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
    if events.isEmpty { return "-" }
    guard Output.self == String.self || Output.self == Int.self else { return nil }
    let diagram = TimelineText([TimelineText.Row("", "publishes", events)], frame: 1_000_000)
    let lines = diagram.lines()
    // A diagram that needs a legend or several lines isn't used.
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
    case .next(let value): ".next(at: \(time), \(TimeCode.expression(of: value)))"
    case .completion(.finished): ".completed(at: \(time))"
    case .completion(.failure(let error)): ".failure(at: \(time), \(String(reflecting: error)))"
    case .subscription: ".subscription(at: \(time))"
    case .cancellation: ".cancellation(at: \(time))"
    }
  }
}
