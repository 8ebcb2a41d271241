public import Streams

extension Scheduler {
  /// Suspends the calling task until the scheduler's time has advanced by a duration.
  ///
  /// ```swift
  /// try await scheduler.sleep(for: .milliseconds(300))
  /// ```
  ///
  /// For a duration of zero or less, the call returns immediately. On a test scheduler, the sleep ends when the test advances
  /// time far enough.
  ///
  /// - Parameters:
  ///   - duration: The time to sleep.
  ///   - tolerance: The time by which the wake-up may be late.
  ///   - options: The scheduler's options.
  /// - Throws: `CancellationError` if the task is cancelled before the call or the deadline. The wake-up is then cancelled.
  @_disfavoredOverload
  nonisolated(nonsending)
    public func sleep(
      for duration: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride = .zero,
      options: SchedulerOptions? = nil
    ) async throws
  {
    guard isAhead(duration) else { return try Task.checkCancellation() }
    try await Sleeper.sleep { wake in
      scheduleOnce(after: now.advanced(by: duration), tolerance: tolerance, options: options, wake)
    }
  }

  /// Suspends the calling task until the scheduler's time reaches a deadline.
  ///
  /// If the deadline isn't in the future, the call returns immediately.
  ///
  /// - Parameters:
  ///   - deadline: The date at which to resume.
  ///   - tolerance: The time by which the wake-up may be late.
  ///   - options: The scheduler's options.
  /// - Throws: `CancellationError` if the task is cancelled before the call or the deadline. The wake-up is then cancelled.
  @_disfavoredOverload
  nonisolated(nonsending)
    public func sleep(
      until deadline: SchedulerTimeType, tolerance: SchedulerTimeType.Stride = .zero,
      options: SchedulerOptions? = nil
    ) async throws
  {
    guard isAhead(deadline) else { return try Task.checkCancellation() }
    try await Sleeper.sleep { wake in
      scheduleOnce(after: deadline, tolerance: tolerance, options: options, wake)
    }
  }

  // Separate functions, because a generic date in an `async` function would live in the task's memory instead of on the
  // stack.

  private func isAhead(_ duration: SchedulerTimeType.Stride) -> Bool { duration > .zero }

  private func isAhead(_ deadline: SchedulerTimeType) -> Bool { deadline > now }
}
