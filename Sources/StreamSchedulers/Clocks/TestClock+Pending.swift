internal import Dispatch
internal import Streams

/// Somebody sleeps on a test clock who was expected not to; `TestClock.checkSuspension()` throws it.
public struct SuspensionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Who still sleeps, and until when.
  public var description: String
}

extension TestClock {
  /// How many sleepers and other actions wait on the clock's timeline.
  public var pendingCount: Int { timeline.pendingCount }

  /// Runs tasks on the clock's timeline.
  ///
  /// ```swift
  /// Task(executorPreference: clock.taskExecutor) { await model.load() }
  /// ```
  public var taskExecutor: (any TaskExecutor)? { timeline.taskExecutor }

  /// Runs what is due now, and throws if somebody still sleeps then.
  ///
  /// It proves that code does not wait, or does not wait any more:
  ///
  /// ```swift
  /// await clock.advance(by: .seconds(3))
  /// try await clock.checkSuspension()
  /// ```
  ///
  /// Also an action that waits on the timeline counts. Tasks on other threads that are about to sleep are not known.
  ///
  /// - Throws: ``SuspensionError``.
  public func checkSuspension(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) throws {
    advance(by: .zero, fileID: fileID, filePath: filePath, line: line, column: column)
    try throwIfPending()
  }

  /// Lets go on what is due now or waits for the caller's actor, and throws if somebody still sleeps then.
  ///
  /// - Throws: ``SuspensionError``.
  nonisolated(nonsending)
    public func checkSuspension(
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async throws
  {
    await advance(by: .zero, fileID: fileID, filePath: filePath, line: line, column: column)
    try throwIfPending()
  }

  private func throwIfPending() throws {
    let place = " on the clock, at \(timeline.presentText)"
    if let pending = timeline.pendingText(place) { throw SuspensionError(description: pending) }
  }
}

extension TestClock {
  /// Waits, in real time, until so many sleepers are there.
  ///
  /// It is for tasks that stay outside of the clock's timeline, such as those of a live actor. When it returns, time can be
  /// moved on without missing anyone:
  ///
  /// ```swift
  /// let task = Task { try await clock.sleep(for: .seconds(1)) }
  /// await clock.armed(1)
  /// await clock.advance(by: .seconds(1))
  /// ```
  ///
  /// If that does not happen within the timeout, what waits and how many are missing is reported. When the task is
  /// cancelled, it returns at once.
  ///
  /// - Returns: Whether so many are there.
  @discardableResult
  nonisolated(nonsending)
    public func armed(
      _ count: Int, timeout: Swift.Duration = .seconds(30),
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> Bool
  {
    if await timeline.armed(count, until: .after(timeout)) { return true }
    if !Task.isCancelled {
      reportMissing(count, timeout, SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
    }
    return false
  }

  /// Blocks the thread, in real time, until so many sleepers are there.
  ///
  /// It is the other `armed` for tests without `await`, on a thread that nobody else needs. In a function that a task calls
  /// it keeps a thread from other tasks, and so perhaps from the one that it waits for; the report says so.
  @discardableResult
  public func armed(
    _ count: Int, timeout: Swift.Duration = .seconds(30),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> Bool {
    if timeline.armed(count, until: .after(timeout)) { return true }
    let hint = WaitingThread.hint(
      instead: "Write `await clock.armed(\(count))` in an asynchronous function, or wait on a thread of your own.")
    reportMissing(
      count, timeout, SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column), hint: hint)
    return false
  }

  private func reportMissing(_ count: Int, _ timeout: Swift.Duration, _ place: SourcePlace, hint: String = "") {
    let pending = pendingCount
    let what = pending == 0 ? "nobody sleeps" : "\(pending) of \(count) sleep"
    place.report("Within \(timeout) \(what) on the clock, \(count - pending) missing:\(timeline.pendingLines)\(hint)")
  }
}
