internal import Streams

extension TestScheduler {
  /// Suspends the calling task until time has advanced by a duration.
  ///
  /// ```swift
  /// try await scheduler.sleep(for: .milliseconds(300))
  /// ```
  ///
  /// For a duration of zero or less, the call returns immediately.
  ///
  /// - Parameters:
  ///   - duration: The time to sleep.
  ///   - tolerance: Ignored.
  ///   - options: Ignored.
  /// - Throws: `CancellationError` if the task is cancelled before the call or the deadline. The sleep then ends at the current
  ///   date, and nothing stays scheduled.
  nonisolated(nonsending)
    public func sleep(
      for duration: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride = .zero,
      options: SchedulerOptions? = nil
    ) async throws
  {
    try await timeline.sleep(until: timeline.now.addingSaturating(duration.nanoseconds))
  }

  /// Suspends the calling task until time has advanced to a deadline.
  ///
  /// If the deadline isn't in the future, the call returns immediately.
  ///
  /// - Parameters:
  ///   - deadline: The date at which to resume.
  ///   - tolerance: Ignored.
  ///   - options: Ignored.
  /// - Throws: `CancellationError` if the task is cancelled before the call or the deadline. The sleep then ends at the current
  ///   date, and nothing stays scheduled.
  nonisolated(nonsending)
    public func sleep(
      until deadline: SchedulerTimeType, tolerance: SchedulerTimeType.Stride = .zero,
      options: SchedulerOptions? = nil
    ) async throws
  {
    try await timeline.sleep(until: offset(of: deadline))
  }
}
