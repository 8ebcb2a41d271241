public import Streams

/// A test scheduler with the time and options types of another scheduler.
public typealias TestSchedulerOf<S: Scheduler> = TestScheduler<S.SchedulerTimeType, S.SchedulerOptions>

/// A scheduler whose time stands still until a test advances it.
///
/// To run the actions that are due, call ``advance(by:fileID:filePath:line:column:)-697aj``, ``step()`` or
/// ``run(fileID:filePath:line:column:)``. These methods run the actions on the calling thread before they return.
///
/// ```swift
/// let scheduler = TestScheduler<DispatchQueue.SchedulerTimeType, DispatchQueue.SchedulerOptions>(now: start)
/// var lines: [String] = []
/// scheduler.schedule(after: scheduler.now.advanced(by: .seconds(10))) { lines.append("ten") }
///
/// scheduler.advance(by: .seconds(9))   // lines == []
/// scheduler.advance(by: .seconds(1))   // lines == ["ten"]
/// ```
///
/// **Order.** The *timeline* of a scheduler consists of its pending actions and its time. Clocks and other schedulers can share
/// it. Actions run in order of date. By default, actions with the same date run in order of sequence number. An action gets its
/// number when you schedule it. A repeating action keeps its number for all repetitions. If you schedule A every second from
/// 1 s on, and then B every 2 s from 2 s on, advancing by 2 s runs A, A, B.
///
/// **Time.** Time moves from action to action: while an action runs, ``now`` is its date. Work that an action schedules for a
/// date up to the call's target runs in the same call. Time never goes back, so work that you schedule for the past runs at the
/// current date. Options are ignored, and so are tolerances, because virtual time is exact.
///
/// **Threads.** Scheduling and cancelling are thread-safe, even while another thread advances time. If two threads advance at the
/// same time, they share the work. Each action runs once, but an action may end while an earlier one still runs on the other
/// thread.
///
/// **Cost.** Scheduling and running an action take O(log *n*), where *n* is the number of pending actions. Cancelling takes O(1)
/// and releases the action immediately.
///
/// **Mistakes** are reported at the line that made them, if it's known, and don't stop the program.
public final class TestScheduler<SchedulerTimeType: Strideable, SchedulerOptions>: Scheduler
where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  @usableFromInline package let timeline: Timeline
  package let budget = Locked(TimelineBudget())

  /// The date at which the timeline begins. The times in recordings are relative to it.
  @usableFromInline package let origin: SchedulerTimeType

  /// Objects that the package's other modules keep for this scheduler's lifetime.
  package let attachments = Attachments()

  // The location where the scheduler was created, for reports about calls whose own location is unavailable.
  package let fileID: StaticString
  package let filePath: StaticString
  package let line: UInt
  package let column: UInt

  /// Creates a scheduler whose time stands at a date.
  ///
  /// - Parameters:
  ///   - now: The date at which time begins.
  ///   - order: The order of actions that are due at the same date.
  public convenience init(
    now: SchedulerTimeType, order: RunOrder = .fifo,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      now: now, on: Timeline(order), CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a scheduler on an existing timeline. `now` is the scheduler's date at the beginning of that timeline.
  init(now: SchedulerTimeType, on timeline: Timeline, _ location: CodeLocation) {
    self.timeline = timeline
    origin = now
    fileID = location.fileID
    filePath = location.filePath
    line = location.line
    column = location.column
  }

  #if DEBUG
    deinit {
      let (wasArmed, wasDriven) = timeline.withLock { agenda, _ in (agenda.wasArmed, agenda.wasDriven) }
      if wasArmed, !wasDriven {
        warnOnce(
          isStandingTimeReported,
          "Work was scheduled on a test scheduler\(birthplace), but its time was never advanced, so no work has run. "
            + "Call advance(by:) before you check the results. Other test schedulers like this are not reported.")
      } else if wasDriven, !wasArmed {
        warnOnce(
          isUnusedTimeReported,
          "The time of a test scheduler\(birthplace) was advanced, but nothing was ever scheduled on it. Does the code "
            + "under test use another scheduler, such as DispatchQueue.main? Other test schedulers like this are not reported."
        )
      }
    }

    /// The location where the scheduler was created, if it's known.
    private var birthplace: String {
      // The properties that create schedulers don't know their callers.
      let isHere = "\(fileID)".hasPrefix("StreamSchedulers/") || "\(fileID)".hasPrefix("StreamFoundation/")
      let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column).description
      return isHere ? "" : " (created at \(location))"
    }
  #endif
}

#if DEBUG
  private let isStandingTimeReported = OnceFlag()
  private let isUnusedTimeReported = OnceFlag()
#endif

// `Sendable` is unchecked because actions are plain closures, like Combine's. The mutable state is in the timeline and in the
// budget, each protected by its own lock. The rest is constant.
extension TestScheduler: @unchecked Sendable
where SchedulerTimeType: Sendable, SchedulerTimeType.Stride: Sendable {}

// MARK: - Dates

extension TestScheduler {
  /// Returns the date at a number of nanoseconds from the beginning of the timeline.
  @inlinable @inline(__always)
  package func date(at offset: Int) -> SchedulerTimeType { origin.advanced(by: .nanoseconds(offset)) }

  /// Returns the number of nanoseconds from the beginning of the timeline to a date.
  @inlinable @inline(__always)
  package func offset(of date: SchedulerTimeType) -> Int { origin.distance(to: date).nanoseconds }
}

// MARK: - Moving time on

extension TestScheduler {
  /// The current virtual date. While an action runs, it's that action's date.
  @inlinable
  public var now: SchedulerTimeType { date(at: timeline.now) }

  /// The time by which the timeline has advanced since it began.
  ///
  /// ```swift
  /// scheduler.advance(by: .seconds(1))   // scheduler.elapsed == 1
  /// ```
  public var elapsed: SchedulerTimeType.Stride { .nanoseconds(timeline.now) }

  /// Zero, because virtual time is exact.
  @inlinable
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Advances time by a stride and runs, in order, the actions that become due.
  ///
  /// ```swift
  /// scheduler.advance(by: .milliseconds(300))
  /// ```
  ///
  /// Without an argument, it runs the actions that are due now, including actions that they schedule for now. A call from
  /// inside an action advances time immediately. The outer call then continues to its own target if that's still ahead. A call
  /// from a task on the timeline is reported and changes nothing. Write `await scheduler.advance(by:)` there.
  ///
  /// A negative stride is reported and changes nothing. If more actions are due than ``maximumActions`` or
  /// ``maximumActionsPerInstant`` allow, the call stops and reports the most frequent actions. Time then stays at the date that
  /// it has reached. Calls from inside an action, and concurrent calls from other threads, count toward the outermost call's
  /// limits.
  ///
  /// - Parameter stride: The time to advance by.
  /// - Complexity: O(log *n*) for each action, where *n* is the number of pending actions.
  @inlinable
  public func advance(
    by stride: SchedulerTimeType.Stride = .zero,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard stride >= .zero else {
      return reportNegative(stride, fileID: fileID, filePath: filePath, line: line, column: column)
    }
    run(
      through: timeline.now.addingSaturating(stride.nanoseconds), fileID: fileID, filePath: filePath, line: line,
      column: column)
  }

  /// Advances time to a date and runs, in order, the actions that become due.
  ///
  /// Otherwise, it behaves like ``advance(by:fileID:filePath:line:column:)-697aj``. A date in the past is reported and changes
  /// nothing.
  ///
  /// - Parameter date: The date to advance to.
  /// - Complexity: O(log *n*) for each action, where *n* is the number of pending actions.
  @inlinable
  public func advance(
    to date: SchedulerTimeType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard date >= now else {
      return reportPast(date, fileID: fileID, filePath: filePath, line: line, column: column)
    }
    run(through: offset(of: date), fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Runs the next action, if any, and advances time to the action's date.
  ///
  /// ```swift
  /// while scheduler.step() { print(scheduler.now) }
  /// ```
  ///
  /// - Returns: `true` if there was an action to run, otherwise `false`.
  /// - Complexity: O(log *n*), where *n* is the number of pending actions.
  @inlinable
  @discardableResult
  public func step() -> Bool { timeline.step() }

  /// Runs actions until none is left and advances time to the date of the last one.
  ///
  /// ```swift
  /// scheduler.run()
  /// ```
  ///
  /// A repeating action never runs out. When ``maximumActions`` or ``maximumActionsPerInstant`` is exceeded, the call stops and
  /// reports the most frequent actions. Time then stays at the date that it has reached. A call from a task on the timeline is
  /// reported and changes nothing. Write `await scheduler.run()` there.
  ///
  /// - Complexity: O(log *n*) for each action, where *n* is the number of pending actions.
  @inlinable
  public func run(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    run(through: nil, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Runs the actions up to a target in nanoseconds from the beginning, or all actions if it's `nil`, and reports an exceeded
  /// budget.
  @usableFromInline
  package func run(
    through target: Int?, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {
    let problem = timeline.drive(
      through: target, within: budget.withLock { $0 }, of: "scheduler")
    if let problem { reportIssue(problem, fileID: fileID, filePath: filePath, line: line, column: column) }
  }

  /// The number of actions that one call may run before it gives up. The default is a million.
  ///
  /// ```swift
  /// scheduler.maximumActions = 10_000
  /// ```
  ///
  /// If it's zero or less, every call that finds an action due is reported. ``step()`` has no limit.
  public var maximumActions: Int {
    get { budget.withLock { $0.actions } }
    set { budget.withLock { $0.actions = newValue } }
  }

  /// The number of actions that one call may run at one date before it gives up. The default is a hundred thousand.
  public var maximumActionsPerInstant: Int {
    get { budget.withLock { $0.actionsPerInstant } }
    set { budget.withLock { $0.actionsPerInstant = newValue } }
  }
}

// MARK: - Scheduling

extension TestScheduler {
  /// Schedules an action for the current date, after the actions that are already due.
  ///
  /// The action runs when you advance time.
  ///
  /// - Complexity: O(log *n*), where *n* is the number of pending actions.
  @inlinable
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    _ = timeline.insert(after: nil, action)
  }

  /// Schedules an action for a date, or for the current date if the given one has passed.
  ///
  /// - Complexity: O(log *n*), where *n* is the number of pending actions.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    _ = timeline.insert(after: offset(of: date), action)
  }

  /// Schedules a cancellable action for a date, or for the current date if the given one has passed.
  ///
  /// Cancelling removes the action, so ``run(fileID:filePath:line:column:)`` doesn't advance to the action's date.
  ///
  /// - Complexity: O(log *n*), where *n* is the number of pending actions.
  @inlinable
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    timeline.insertCancellable(after: offset(of: date), action)
  }

  /// Schedules an action for a date and repeats it after each interval.
  ///
  /// If the date has passed, the action is scheduled for the current date.
  ///
  /// Each run's date is the previous run's date plus the interval. An interval of zero or less is reported, and the action runs
  /// once.
  ///
  /// - Complexity: O(log *n*) for each run, where *n* is the number of pending actions.
  @_disfavoredOverload
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard interval.nanoseconds > 0 else { return scheduleOnce(notEvery: interval, after: date, action) }
    return Repetition(
      timeline.insertCancellable(after: offset(of: date), interval: interval.nanoseconds, action))
  }

  /// Schedules a repeating action like ``schedule(after:interval:tolerance:options:_:)``, and records the caller's line.
  ///
  /// ```swift
  /// var count = 0
  /// let timer = scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { count += 1 }
  /// scheduler.advance(by: .seconds(2))   // count == 3
  /// timer.cancel()
  /// ```
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride = .zero, options: SchedulerOptions? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard interval.nanoseconds > 0 else {
      reportEmpty(interval, fileID: fileID, filePath: filePath, line: line, column: column)
      return timeline.insertCancellable(after: offset(of: date), action)
    }
    return Repetition(
      timeline.insertCancellable(
        after: offset(of: date), interval: interval.nanoseconds, fileID: fileID, filePath: filePath, line: line,
        column: column, action))
  }

  @usableFromInline
  func scheduleOnce(
    notEvery interval: SchedulerTimeType.Stride, after date: SchedulerTimeType, _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    reportEmpty(interval, fileID: fileID, filePath: filePath, line: line, column: column)
    return timeline.insertCancellable(after: offset(of: date), action)
  }
}

// MARK: - Mistakes

extension TestScheduler {
  @usableFromInline
  package func reportNegative(
    _ stride: SchedulerTimeType.Stride, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    timeline.reportGoingBack("by", stride.nanoseconds, location)
  }

  @usableFromInline
  func reportPast(
    _ date: SchedulerTimeType, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    timeline.reportGoingBack("to", offset(of: date), location)
  }

  @usableFromInline
  func reportEmpty(
    _ interval: SchedulerTimeType.Stride, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {
    reportIssue(
      "An action that repeats every \(DurationText.described(interval.nanoseconds)) would run forever at one instant, so it runs once.",
      fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
