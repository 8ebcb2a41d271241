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
  }

  /// How many actions wait.
  public var pendingCount: Int { timeline.pendingCount }

  /// The date of the first action that waits.
  public var nextDate: SchedulerTimeType? { timeline.nextDate.map { date(at: $0) } }

  /// The actions that wait, in the order in which they will run.
  ///
  /// - Complexity: O(*n* log *n*)
  public var pendingActions: [PendingAction] {
    timeline.pendingEntries.map { entry, interval in
      PendingAction(
        date: date(at: entry.date), interval: interval.map { .nanoseconds($0) }, sequence: entry.name.sequence)
    }
  }

  /// Reports what still waits, if anything does.
  ///
  /// At the end of a test it finds timers that nobody stopped and delays that nobody waited for.
  public func assertIdle(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let pending = pendingActions
    guard !pending.isEmpty else { return }
    let heading = pending.count == 1 ? "1 action still waits" : "\(pending.count) actions still wait"
    let lines = pending.prefix(10).map { "\n- \($0)" } + (pending.count > 10 ? ["\n- and more"] : [])
    reportIssue(
      "\(heading), at \(now):\(lines.joined())", fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// How many dates, places and repetitions are kept, those of actions that have gone included.
  package var keptCounts: (dates: Int, places: Int, repetitions: Int) {
    timeline.withLock { agenda, table in (agenda.entries.count, table.places.count, agenda.repetitions.count) }
  }
}

extension Timeline {
  /// How many actions wait.
  var pendingCount: Int { withLock { _, table in table.liveCount } }

  /// The actions that wait, in the order in which they will run, and the intervals of those that repeat.
  var pendingEntries: [(entry: Agenda.Entry, interval: Int?)] {
    let entries = withLock { agenda, table in
      agenda.entries.filter { table.contains($0.name) }.map { entry in
        let repetition = table.places[entry.name.place].link
        return (entry: entry, interval: repetition < 0 ? nil : agenda.repetitions[repetition].interval)
      }
    }
    return entries.sorted { $0.entry.precedes($1.entry) }
  }
}

extension TestScheduler.PendingAction: Sendable
where SchedulerTimeType: Sendable, SchedulerTimeType.Stride: Sendable {}

extension TestScheduler.PendingAction: CustomStringConvertible {
  /// The date, the interval if there is one, and the sequence number.
  public var description: String {
    "number \(sequence), at \(date)\(interval.map { " and then every \($0)" } ?? "")"
  }
}
