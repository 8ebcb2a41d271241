internal import Streams

extension TestScheduler {
  /// Waits until time has been moved on by a duration.
  ///
  /// The duration counts from the call. One of zero or less is over already: the call returns at once. Tolerance and options
  /// make no difference.
  ///
  /// ```swift
  /// try await scheduler.sleep(for: .milliseconds(300))
  /// ```
  ///
  /// - Throws: `CancellationError` if the task is cancelled, before or while it waits; at the present moment, and nothing
  ///   stays armed. A task that is cancelled after its deadline has been reached is not told.
  nonisolated(nonsending)
    public func sleep(
      for duration: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride = .zero,
      options: SchedulerOptions? = nil
    ) async throws
  {
    try await timeline.sleep(until: timeline.now.addingSaturating(duration.nanoseconds))
  }

  /// Waits until time has been moved on to a deadline.
  ///
  /// A deadline that has come already or has passed ends the wait at once.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, before or while it waits; at the present moment, and nothing
  ///   stays armed. A task that is cancelled after its deadline has been reached is not told.
  nonisolated(nonsending)
    public func sleep(
      until deadline: SchedulerTimeType, tolerance: SchedulerTimeType.Stride = .zero,
      options: SchedulerOptions? = nil
    ) async throws
  {
    try await timeline.sleep(until: offset(of: deadline))
  }
}
