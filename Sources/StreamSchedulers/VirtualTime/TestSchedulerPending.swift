internal import Streams

extension TestScheduler {
  /// Work that waits for its date.
  public struct PendingAction: Equatable {
    /// When it runs.
    public let date: SchedulerTimeType

    /// After how long it runs again, if it does.
    public let interval: SchedulerTimeType.Stride?

    /// Its place among the actions of its date; the first that a scheduler gives is 0.
    public let sequence: Int

    /// The file and the line where it was armed, if that is known: of timers, and of work that a test schedules to repeat.
    public let armedAt: String?

    /// How many nanoseconds after the beginning it runs.
    let offset: Int
  }

  /// How many actions wait.
  public var pendingCount: Int { timeline.pendingCount }

  /// The date of the first action that waits.
  public var nextDate: SchedulerTimeType? { timeline.nextDate.map { date(at: $0) } }

  /// The actions that wait, in the order in which they will run.
  ///
  /// - Complexity: O(*n* log *n*)
  public var pendingActions: [PendingAction] {
    timeline.pendingEntries.map { entry, interval, place in
      PendingAction(
        date: date(at: entry.date), interval: interval.map { .nanoseconds($0) }, sequence: entry.name.sequence,
        armedAt: place?.description, offset: entry.date)
    }
  }

  /// Reports what still waits, if anything does.
  ///
  /// At the end of a test it finds timers that nobody stopped and delays that nobody waited for.
  public func assertIdle(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard let pending = timeline.pendingText(", at \(timeline.presentText)") else { return }
    reportIssue(pending, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// How many dates, places, repetitions and source lines are kept, those of actions that have gone included.
  package var keptCounts: (dates: Int, places: Int, repetitions: Int, lines: Int) {
    timeline.withLock { agenda, table in
      (agenda.entries.count, table.places.count, agenda.repetitions.count, agenda.armedPlaces.count)
    }
  }
}

extension Timeline {
  /// How many actions wait.
  var pendingCount: Int { withLock { _, table in table.liveCount } }

  /// The actions that wait, in the order in which they will run, the intervals of those that repeat, and where they were armed.
  var pendingEntries: [(entry: Agenda.Entry, interval: Int?, place: SourcePlace?)] {
    let entries = withLock { agenda, table in
      agenda.entries.filter { table.contains($0.name) }.map { entry in
        let repetition = table.places[entry.name.place].link
        return (
          entry: entry, interval: repetition < 0 ? nil : agenda.repetitions[repetition].interval,
          place: agenda.armedPlaces[entry.name.sequence]
        )
      }
    }
    return entries.sorted { $0.entry.precedes($1.entry) }
  }

  /// How much waits, and where, and what, in a line for each; nil when nothing does.
  func pendingText(_ place: String = "") -> String? {
    let count = pendingCount
    if count == 0 { return nil }
    return "\(count == 1 ? "1 action still waits" : "\(count) actions still wait")\(place):\(pendingLines)"
  }

  /// What waits, each in a line of its own, which begins with the line break; ten at most.
  var pendingLines: String {
    let entries = pendingEntries
    let lines = entries.prefix(10).map { entry, interval, place in
      "\n- "
        + Self.pendingText(
          at: entry.date, interval: interval, sequence: entry.name.sequence, armedAt: place?.description)
    }
    return lines.joined() + (entries.count > 10 ? "\n- and more" : "")
  }

  static func pendingText(at date: Int, interval: Int?, sequence: Int, armedAt place: String?) -> String {
    "number \(sequence), at \(DurationText.described(date))"
      + (interval.map { ", every \(DurationText.described($0))" } ?? "") + (place.map { ", armed at \($0)" } ?? "")
  }
}

extension TestScheduler.PendingAction: Sendable
where SchedulerTimeType: Sendable, SchedulerTimeType.Stride: Sendable {}

extension TestScheduler.PendingAction: CustomStringConvertible {
  /// The sequence number, how long after the beginning of time it runs, and the interval if there is one.
  public var description: String {
    Timeline.pendingText(at: offset, interval: interval?.nanoseconds, sequence: sequence, armedAt: armedAt)
  }
}
