internal import Dispatch
internal import Streams

/// The error that `TestClock.checkSuspension()` throws when a task unexpectedly sleeps on the clock.
public struct SuspensionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The pending sleeps and actions, and their deadlines.
  public var description: String
}

extension TestClock {
  /// The number of sleepers and other actions that are pending on the clock's timeline.
  ///
  /// ```swift
  /// #expect(clock.pendingCount == 1)
  /// ```
  public var pendingCount: Int { timeline.pendingCount }

  /// The executor that runs tasks on the clock's timeline.
  ///
  /// ```swift
  /// Task(executorPreference: clock.taskExecutor) { await model.load() }
  /// ```
  public var taskExecutor: (any TaskExecutor)? { timeline.taskExecutor }

  /// Runs everything that is due now and throws if a sleep or an action is still pending.
  ///
  /// Use it to prove that your code doesn't sleep, or doesn't sleep anymore:
  ///
  /// ```swift
  /// await clock.advance(by: .seconds(3))
  /// try await clock.checkSuspension()
  /// ```
  ///
  /// The check doesn't see a task that's about to sleep on another thread.
  ///
  /// - Throws: ``SuspensionError`` if a sleep or an action is pending.
  public func checkSuspension(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) throws {
    advance(by: .zero, fileID: fileID, filePath: filePath, line: line, column: column)
    try throwIfPending()
  }

  /// Runs everything that is due now, waits until tasks are idle, and throws if a sleep or an action is still pending.
  ///
  /// - Throws: ``SuspensionError`` if a sleep or an action is pending.
  nonisolated(nonsending)
    public func checkSuspension(
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async throws
  {
    await advance(by: .zero, fileID: fileID, filePath: filePath, line: line, column: column)
    try throwIfPending()
  }

  private func throwIfPending() throws {
    let location = " on the clock, at \(timeline.presentText)"
    if let pending = timeline.pendingText(location) { throw SuspensionError(description: pending) }
  }
}

extension TestClock {
  /// Waits, in real time, until at least `count` sleepers and other actions are pending.
  ///
  /// Use it for tasks outside the clock's timeline, such as the tasks of a live actor. Once the method returns `true`,
  /// advancing time doesn't miss those tasks:
  ///
  /// ```swift
  /// let task = Task { try await clock.sleep(for: .seconds(1)) }
  /// await clock.armed(1)
  /// await clock.advance(by: .seconds(1))
  /// ```
  ///
  /// If the number isn't reached within the timeout, the method reports the pending sleeps and how many are missing. If the
  /// calling task is cancelled, the method returns immediately, without a report.
  ///
  /// - Parameters:
  ///   - count: The number of sleepers and actions to wait for.
  ///   - timeout: The real time after which to give up.
  /// - Returns: `true` if the number has been reached, otherwise `false`.
  @discardableResult
  nonisolated(nonsending)
    public func armed(
      _ count: Int, timeout: Swift.Duration = .seconds(30),
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> Bool
  {
    await timeline.armed(
      count, timeout, .clock, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Blocks the calling thread, in real time, until at least `count` sleepers and other actions are pending.
  ///
  /// ```swift
  /// clock.armed(1)
  /// clock.advance(by: .seconds(1))
  /// ```
  ///
  /// Call this synchronous form of `armed(_:timeout:)` only on a thread that nothing else needs. If a task calls it, the call
  /// blocks a thread that other tasks need, perhaps the tasks that you're waiting for.
  ///
  /// - Parameters:
  ///   - count: The number of sleepers and actions to wait for.
  ///   - timeout: The real time after which to give up.
  /// - Returns: `true` if the number has been reached, otherwise `false`.
  @discardableResult
  public func armed(
    _ count: Int, timeout: Swift.Duration = .seconds(30),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> Bool {
    timeline.armed(
      count, timeout, .clock, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}
