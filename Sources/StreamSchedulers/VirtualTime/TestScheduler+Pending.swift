internal import Streams

extension TestScheduler {
  /// An action that is pending on a test scheduler.
  public struct PendingAction: Equatable {
    /// The date at which the action runs next.
    public let date: SchedulerTimeType

    /// The interval at which the action repeats, or `nil` if it runs once.
    public let interval: SchedulerTimeType.Stride?

    /// The action's sequence number, which determines its position among the actions with the same date. Numbers start at 0.
    package let sequence: Int

    /// The file and line where the action was scheduled. They're known for timers, and for repeating actions that are scheduled
    /// directly on a `TestScheduler`.
    public let armedAt: String?

    /// The date in nanoseconds from the beginning of the timeline.
    let offset: Int
  }

  /// The number of pending actions.
  ///
  /// ```swift
  /// #expect(scheduler.pendingCount == 1)
  /// ```
  public var pendingCount: Int { timeline.pendingCount }

  /// The date of the first pending action, or `nil` if there's none.
  ///
  /// ```swift
  /// if let date = scheduler.nextDate { scheduler.advance(to: date) }
  /// ```
  public var nextDate: SchedulerTimeType? { timeline.nextDate.map { date(at: $0) } }

  /// The pending actions, ordered by date and then by sequence number.
  ///
  /// ```swift
  /// for action in scheduler.pendingActions { print(action) }
  /// ```
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of pending actions.
  public var pendingActions: [PendingAction] {
    timeline.pendingEntries.map { entry, interval, location in
      PendingAction(
        date: date(at: entry.date), interval: interval.map { .nanoseconds($0) }, sequence: entry.name.sequence,
        armedAt: location?.description, offset: entry.date)
    }
  }

  /// Reports the actions that are still pending, if any.
  ///
  /// ```swift
  /// scheduler.run()
  /// scheduler.assertIdle()
  /// ```
  ///
  /// At the end of a test, it finds timers that you never stopped and delays that the test didn't wait for.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of pending actions.
  public func assertIdle(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard let pending = timeline.pendingText(", at \(timeline.presentText)") else { return }
    reportIssue(pending, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// The numbers of stored dates, cells, repetitions and source lines, including the ones for actions that are gone.
  package var keptCounts: (dates: Int, cells: Int, repetitions: Int, lines: Int) {
    timeline.withLock { agenda, table in
      (agenda.entryCount, table.cells.count, agenda.repetitions.count, agenda.armedLocations.count)
    }
  }
}

extension Timeline {
  package var pendingCount: Int { withLock { _, table in table.liveCount } }

  /// The pending actions, ordered by date and then by sequence number, with the intervals of repeating ones and the locations
  /// that armed them.
  var pendingEntries: [(entry: Agenda.Entry, interval: Int?, location: CodeLocation?)] {
    let entries = withLock { agenda, table in
      agenda.pendingEntries(table).map { entry in
        let repetition = table.cells[entry.name.cell].link
        return (
          entry: entry, interval: repetition < 0 ? nil : agenda.repetitions[repetition].interval,
          location: agenda.armedLocations[entry.name.sequence]
        )
      }
    }
    return entries.sorted { $0.entry.precedes($1.entry) }
  }

  /// Text with the number of pending actions and a line for each of the first ten, or `nil` if nothing is pending.
  func pendingText(_ location: String = "") -> String? {
    let count = pendingCount
    if count == 0 { return nil }
    return
      "\(count == 1 ? "1 action is still pending" : "\(count) actions are still pending")\(location):\(pendingLines)"
  }

  /// Up to ten pending actions, each preceded by a line break.
  var pendingLines: String {
    let entries = pendingEntries
    let lines = entries.prefix(10).map { entry, interval, location in
      "\n- "
        + Self.pendingText(
          at: entry.date, interval: interval, sequence: entry.name.sequence, armedAt: location?.description)
    }
    return lines.joined() + (entries.count > 10 ? "\n- and more" : "")
  }

  static func pendingText(at date: Int, interval: Int?, sequence: Int, armedAt location: String?) -> String {
    "number \(sequence), at \(DurationText.described(date))"
      + (interval.map { ", every \(DurationText.described($0))" } ?? "") + (location.map { ", armed at \($0)" } ?? "")
  }
}

extension TestScheduler.PendingAction: Sendable
where SchedulerTimeType: Sendable, SchedulerTimeType.Stride: Sendable {}

extension TestScheduler.PendingAction: CustomStringConvertible {
  /// The sequence number, the time since the beginning of the timeline, and the interval and the source location if known.
  public var description: String {
    Timeline.pendingText(at: offset, interval: interval?.nanoseconds, sequence: sequence, armedAt: armedAt)
  }
}
