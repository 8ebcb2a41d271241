public import Dispatch
public import StreamSchedulers
internal import Streams

extension TimelineGenerator where Argument == DemandScript<DispatchQueue.SchedulerTimeType.Stride> {
  /// A generator of demand: requests at random times, for some values or without a limit, and possibly more with each
  /// value.
  ///
  /// ```swift
  /// checkTimelines(of: .cold(.letters), .demand) { scheduler, letters, demand in
  ///   scheduler.expect(letters.shout(), behavesLike: letters.map { $0.uppercased() }, demand: demand)
  /// }
  /// ```
  ///
  /// A hot publisher drops values that weren't requested, so use a cold one.
  public static var demand: Self {
    Self(
      name: "demand", shape: TimelineShape(kind: .demand), make: { drawn, _, _ in drawn.demand },
      picture: { drawn, name in
        let entries = drawn.events.map {
          TimelineText.Entry(nanoseconds: $0.time, symbol: .value($0.choice == 0 ? "*" : "\($0.choice)"))
        }
        return .row(
          TimelineText.Row(name: name, entries: entries, until: entries.last?.nanoseconds ?? 0, verb: "requests"))
      },
      code: { $0.demand.code })
  }
}

extension TimelineGenerator where Argument == DispatchQueue.SchedulerTimeType.Stride? {
  /// A generator of moments, such as when to cancel, measured from the beginning of the scheduler's time. `nil` means
  /// never.
  ///
  /// `cancelledAt` cancels before anything else that's due at that moment, like a `!` in a diagram. An action that you
  /// schedule for the moment yourself runs in the usual order.
  ///
  /// ```swift
  /// checkTimelines(of: .letters, .moment) { scheduler, letters, moment in
  ///   scheduler.expect(letters.shout(), behavesLike: letters.map { $0.uppercased() }, cancelledAt: moment)
  /// }
  /// ```
  public static var moment: Self {
    var shape = TimelineShape(kind: .moment)
    shape.eventCounts = 0...1
    return Self(
      name: "moment", shape: shape, make: { drawn, _, _ in drawn.events.first.map { .nanoseconds($0.time) } },
      picture: { drawn, name in
        guard let moment = drawn.events.first else { return .text("\(name) = nil") }
        let entry = TimelineText.Entry(nanoseconds: moment.time, symbol: .cancellation)
        return .row(TimelineText.Row(name: name, entries: [entry], until: moment.time, verb: "is"))
      },
      code: { drawn in
        let type = "DispatchQueue.SchedulerTimeType.Stride"
        guard let moment = drawn.events.first else { return "\(type)?.none" }
        return "Optional(\(type)\(TimeCode.expression(moment.time)))"
      })
  }
}

extension TimelineGenerator where Argument == TimelineDelays {
  /// A generator of durations for work that takes time, such as a server's responses.
  ///
  /// ```swift
  /// checkTimelines(of: .delays) { scheduler, delays in scheduler.advance(by: delays.next()) }
  /// ```
  ///
  /// Call ``TimelineDelays/next()`` to get the next duration.
  public static var delays: Self {
    Self(
      name: "delays", shape: TimelineShape(kind: .delays),
      make: { drawn, _, _ in TimelineDelays(drawn.events.map { .nanoseconds(Int($0.choice)) }) },
      picture: { drawn, name in
        let texts = drawn.events.map { DurationText.described(Int($0.choice)) }
        return .text("\(name) = \(texts.isEmpty ? "0 s" : texts.joined(separator: ", ") + ", then 0 s")")
      },
      code: { drawn in
        "TimelineDelays([\(drawn.events.map { TimeCode.expression(Int($0.choice)) }.joined(separator: ", "))])"
      })
  }
}

extension TimelineGenerator {
  /// Returns a generator that draws one value from a list, for example for a parameter of the code under test.
  ///
  /// ```swift
  /// checkTimelines(of: .letters, .value(of: [1, 2, 5])) { scheduler, letters, limit in … }
  /// ```
  ///
  /// - Parameter values: The values, the simplest first. An empty list stops the program with a message.
  public static func value(of values: [Argument]) -> Self {
    require(!values.isEmpty, or: "TimelineGenerator.value(of:) requires at least one value, got an empty list.")
    var shape = TimelineShape(kind: .value)
    shape.eventCounts = 1...1
    shape.choiceCount = UInt64(values.count)
    func value(_ drawn: DrawnTimeline) -> Argument { values[Int(drawn.events.first?.choice ?? 0) % values.count] }
    return Self(
      name: "value", shape: shape, make: { drawn, _, _ in value(drawn) },
      picture: { drawn, name in .text("\(name) = \(TimeCode.text(of: value(drawn)))") },
      code: { TimeCode.expression(of: value($0)) })
  }
}

extension DrawnTimeline {
  /// The demand for which the timeline stands.
  fileprivate var demand: DemandScript<DispatchQueue.SchedulerTimeType.Stride> {
    var script = DemandScript<DispatchQueue.SchedulerTimeType.Stride>.none
    if let end { script.perValue = .max(Int(end.choice)) }
    for event in events {
      let demand: Subscribers.Demand = event.choice == 0 ? .unlimited : .max(Int(event.choice))
      if event.time == 0 {
        script.initial += demand
      } else {
        script.requests.append(.request(at: .nanoseconds(event.time), demand))
      }
    }
    return script
  }
}
