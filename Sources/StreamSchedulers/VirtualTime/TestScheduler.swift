public import Streams

/// A test scheduler with the time and the options of another kind of scheduler.
public typealias TestSchedulerOf<S: Scheduler> = TestScheduler<S.SchedulerTimeType, S.SchedulerOptions>

/// A scheduler whose time stands still until a test moves it on.
///
/// Nothing runs by itself: ``advance(by:fileID:filePath:line:column:)-697aj``, ``step()`` and
/// ``run(fileID:filePath:line:column:)`` run what is due, on the thread that calls them, and return when it has run.
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
/// **Order.** Actions run by date, those of one date by sequence number. The number is given when an action is
/// scheduled; an action that repeats keeps it for all its repetitions. With A every 1 from 1, then B every 2 from 2,
/// moving time on by 2 runs A, A, B.
///
/// **Time.** It moves from action to action: while one runs, ``now`` is its date. What an action schedules within the
/// window of the call runs in the same call. Time never goes back: what is scheduled for the past runs now. Tolerances
/// are ignored, since virtual time is exact.
///
/// **Threads.** Scheduling and cancelling is safe from any thread, also while another moves time on. Two threads that
/// move time on together share the work: every action runs once, but one may end while an earlier one still runs.
///
/// **Cost.** Scheduling and running an action is logarithmic in the number that wait. Cancelling is constant, and
/// releases the action at once.
///
/// **Mistakes** are reported at the line that made them, and change nothing.
public final class TestScheduler<SchedulerTimeType: Strideable, SchedulerOptions>: Scheduler
where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  @usableFromInline package let timeline: Timeline
  @usableFromInline package let budget = Locked(TimelineBudget())

  /// The date at which the timeline begins; the times of recordings count from here.
  @usableFromInline package let origin: SchedulerTimeType

  /// Objects that modules above keep with this scheduler.
  package let attachments = Attachments()

  // Where the scheduler was made: what is reported of calls that do not know their own place says this.
  package let fileID: StaticString
  package let filePath: StaticString
  package let line: UInt
  package let column: UInt

  /// Makes a scheduler whose time stands at a date.
  ///
  /// What is due at the same moment runs in the order in which it was armed, unless another order is asked for.
  public convenience init(
    now: SchedulerTimeType, order: RunOrder = .fifo,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      now: now, on: Timeline(order), SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Makes a scheduler that is a face of a timeline; the date is that of the timeline's beginning.
  init(now: SchedulerTimeType, on timeline: Timeline, _ place: SourcePlace) {
    self.timeline = timeline
    origin = now
    fileID = place.fileID
    filePath = place.filePath
    line = place.line
    column = place.column
  }
}

// `Sendable` is unchecked because actions are plain closures, as Combine's are. What changes is in the timeline and in
// the budget, each protected by its lock; the rest is constant.
extension TestScheduler: @unchecked Sendable
where SchedulerTimeType: Sendable, SchedulerTimeType.Stride: Sendable {}

// MARK: - Dates

extension TestScheduler {
  /// The date that is so many nanoseconds after the beginning of the timeline.
  @inlinable @inline(__always)
  package func date(at offset: Int) -> SchedulerTimeType { origin.advanced(by: .nanoseconds(offset)) }

  /// How many nanoseconds after the beginning of the timeline a date is.
  @inlinable @inline(__always)
  package func offset(of date: SchedulerTimeType) -> Int { origin.distance(to: date).nanoseconds }
}

// MARK: - Moving time on

extension TestScheduler {
  /// The present moment; while an action runs, its date.
  @inlinable
  public var now: SchedulerTimeType { date(at: timeline.now) }

  /// How far time has moved on since the scheduler was made.
  public var elapsed: SchedulerTimeType.Stride { .nanoseconds(timeline.now) }

  /// Zero: virtual time is exact.
  @inlinable
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Moves time on by a distance and runs, in order, what is due on the way.
  ///
  /// Without an argument it runs what is due now, also what is scheduled for now meanwhile. From inside an action it
  /// moves time on at once; the call that runs that action then goes on to its own target if that is still ahead.
  ///
  /// A negative distance is reported and changes nothing. If more is due than ``maximumActions`` or
  /// ``maximumActionsPerInstant`` allow, that is reported with the busiest actions, and time stays where it has come.
  /// Calls from inside an action share the budget of the call that runs it, and so do calls of other threads meanwhile.
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

  /// Moves time on to a date and runs, in order, what is due on the way.
  ///
  /// It does what ``advance(by:fileID:filePath:line:column:)-697aj`` does. A date in the past is reported and changes nothing.
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

  /// Runs exactly one action, the first, and moves time to its date.
  ///
  /// - Returns: Whether there was one.
  @inlinable
  @discardableResult
  public func step() -> Bool { timeline.step() }

  /// Runs until nothing is left, and moves time to the date of the last action.
  ///
  /// An action that repeats never leaves: when more than ``maximumActions`` have run, that is reported with the busiest
  /// actions, and time stays where it has come.
  @inlinable
  public func run(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    run(through: nil, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Runs what is due until so many nanoseconds after the beginning, or everything, and reports what took too much.
  @usableFromInline
  package func run(
    through target: Int?, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {
    let problem = timeline.drive(
      through: target, within: budget.withLock { $0 }, of: "scheduler")
    if let problem { reportIssue(problem, fileID: fileID, filePath: filePath, line: line, column: column) }
  }

  /// How many actions one call may run before it gives up: a million, unless set.
  ///
  /// With zero or less, every call that finds something due is reported. ``step()`` has no limit.
  public var maximumActions: Int {
    get { budget.withLock { $0.actions } }
    set { budget.withLock { $0.actions = newValue } }
  }

  /// How many actions one call may run at one instant before it gives up: a hundred thousand, unless set.
  public var maximumActionsPerInstant: Int {
    get { budget.withLock { $0.actionsPerInstant } }
    set { budget.withLock { $0.actionsPerInstant = newValue } }
  }
}

// MARK: - Scheduling

extension TestScheduler {
  /// Runs work at the present moment, after what is due by then; never at once, but when time is moved on.
  @inlinable
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    _ = timeline.insert(after: nil, action)
  }

  /// Runs work at a date, or now if that has passed.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    _ = timeline.insert(after: offset(of: date), action)
  }

  /// Runs work once, at a date, or now if that has passed, unless what is returned is cancelled before.
  ///
  /// Cancelling removes it: nothing is left to run, and nothing for ``run(fileID:filePath:line:column:)`` to move to.
  @inlinable
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    timeline.insertCancellable(after: offset(of: date), action)
  }

  /// Runs work at a date, or now if that has passed, and again after each interval, until what is returned is cancelled.
  ///
  /// Each date is the one before plus the interval, and the sequence number stays the same. An interval of zero or less
  /// is reported, and the work runs once.
  ///
  /// - Returns: What stops the repetition. Letting go of it stops it too, as on a live queue.
  @_disfavoredOverload
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard interval.nanoseconds > 0 else { return scheduleOnce(notEvery: interval, after: date, action) }
    return AnyCancellable(
      timeline.insertCancellable(after: offset(of: date), interval: interval.nanoseconds, action))
  }

  /// Runs work at a date, or now if that has passed, and again after each interval, until what is returned is cancelled.
  ///
  /// Each date is the one before plus the interval, and the sequence number stays the same. An interval of zero or less
  /// is reported, and the work runs once.
  ///
  /// ```swift
  /// var count = 0
  /// let timer = scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { count += 1 }
  /// scheduler.advance(by: .seconds(2))   // count == 3
  /// timer.cancel()
  /// ```
  ///
  /// - Returns: What stops the repetition. Letting go of it stops it too, as on a live queue.
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
    return AnyCancellable(
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
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    timeline.reportGoingBack("by", stride.nanoseconds, place)
  }

  @usableFromInline
  func reportPast(
    _ date: SchedulerTimeType, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    timeline.reportGoingBack("to", offset(of: date), place)
  }

  @usableFromInline
  func reportEmpty(
    _ interval: SchedulerTimeType.Stride, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {
    reportIssue(
      "An action every \(DurationText.described(interval.nanoseconds)) would run for ever at one instant: it runs once.",
      fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
