/// All random choices for one run of a check, with which the run can be repeated.
///
/// It holds numbers only. The generator knows what a choice stands for: a value, a duration or a demand.
struct DrawnRun: Codable, Hashable, Sendable {
  /// The arguments' timelines, in argument order.
  var timelines: [DrawnTimeline]

  /// The order in which the scheduler runs simultaneous tasks, as the string that replays it, or `nil` for the order in
  /// which they were scheduled.
  var order: String?

  /// Indicates whether arguments are created in reverse order. If they are, the last source sends first at each
  /// instant.
  var isReversed = false

  /// Indicates whether events of hot sources come before the timers of the same instant.
  var hotEventsComeFirst = true

  /// Returns the number of events, including completions. A single value isn't an event.
  func eventCount(in shapes: [TimelineShape]) -> Int {
    zip(shapes, timelines).reduce(0) { count, drawn in
      drawn.0.kind == .value ? count : count + drawn.1.events.count + (drawn.1.end == nil ? 0 : 1)
    }
  }
}

extension DrawnRun {
  /// Returns the delays, and the times between one event and the next.
  func gaps(in shapes: [TimelineShape]) -> [Int] {
    let arguments = zip(shapes, timelines)
    let times = arguments.filter { $0.0.hasTimes }.flatMap { $1.durations(of: $0.kind) }.sorted()
    let delays = arguments.filter { $0.0.kind == .delays }.flatMap { $1.durations(of: $0.kind) }
    return delays + zip(times, [0] + times).map { $0 - $1 }
  }
}

/// One argument of a run: events at times, each with a choice, and an end.
struct DrawnTimeline: Codable, Hashable, Sendable {
  struct Event: Codable, Hashable, Sendable {
    /// The time in nanoseconds from the beginning of the scheduler's time.
    var time: Int

    /// The choice. Smaller choices are simpler.
    var choice: UInt64
  }

  var events: [Event] = []

  /// The completion of a source, with choice 0 if it finishes, or the demand that's requested with each value.
  var end: Event?

  /// Returns the largest time, or the longest delay, in nanoseconds.
  func longest(of kind: TimelineShape.Kind) -> Int { durations(of: kind).max() ?? 0 }

  /// Returns the times, or the delays, in nanoseconds.
  func durations(of kind: TimelineShape.Kind) -> [Int] {
    let events = events + [end].compactMap(\.self)
    return kind == .delays ? events.map { Int(clamping: $0.choice) } : events.map(\.time)
  }
}

struct TimelineShape: Sendable {
  enum Kind: Sendable {
    /// Events at times. A choice stands for a value.
    case source

    /// Durations. A choice is a duration, and the events don't have times.
    case delays

    /// Requests at times. A choice is a number of values, or 0 for unlimited demand.
    case demand

    /// A time, or none.
    case moment

    /// A single choice without a time.
    case value
  }

  var kind: Kind

  var eventCounts: ClosedRange<Int> = 0...Int.max

  var choiceCount: UInt64 = 1

  /// Indicates whether a new event usually has a choice that no earlier one has.
  var prefersNewChoices = false

  var failureCount: UInt64 = 0

  /// The largest time and the longest delay in nanoseconds, or `nil` for the limit of the check.
  var longest: Int?

  var mayFinish = false
  var mayNotEnd = true

  var hasTimes: Bool { kind == .source || kind == .demand || kind == .moment }

  /// Returns whether a generator of this shape could have drawn a timeline.
  func allows(_ timeline: DrawnTimeline) -> Bool {
    let choices =
      switch kind {
      case .source, .value: choiceCount
      case .delays: UInt64(Int.max)
      case .demand: UInt64(Int32.max)
      case .moment: UInt64(1)
      }
    return eventCounts.contains(timeline.events.count)
      && timeline.events.allSatisfy { $0.choice < choices && $0.time >= 0 && (hasTimes || $0.time == 0) }
      && (timeline.end.map(allows) ?? (mayNotEnd || kind != .source))
      && (longest.map { timeline.longest(of: kind) <= $0 } ?? true)
  }

  private func allows(_ end: DrawnTimeline.Event) -> Bool {
    switch kind {
    case .source: end.time >= 0 && (end.choice == 0 ? mayFinish : end.choice <= failureCount)
    case .demand: end.choice < UInt64(Int32.max)
    case .delays, .moment, .value: false
    }
  }
}

extension DrawnRun {
  /// A description of how the order of simultaneous events differs from the default, or `nil` if it doesn't.
  var tie: String? {
    switch (isReversed, hotEventsComeFirst) {
    case (false, true): nil
    case (true, true): "the sources send in the reverse order of the arguments"
    case (false, false): "a timer comes before an event"
    case (true, false): "a timer comes before an event, and the sources send in the reverse order of the arguments,"
    }
  }
}
