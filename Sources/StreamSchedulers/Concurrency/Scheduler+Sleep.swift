public import Streams

extension Scheduler {
  /// Waits until the scheduler's time has moved on by a duration.
  ///
  /// The duration counts from the call. One of zero or less is over already: the call returns at once. On a test
  /// scheduler the wait ends when the test advances far enough.
  ///
  /// ```swift
  /// try await scheduler.sleep(for: .milliseconds(300))
  /// ```
  ///
  /// - Throws: `CancellationError` if the task is cancelled, before or while it waits; nothing stays armed then.
  nonisolated(nonsending)
    public func sleep(
      for duration: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride = .zero,
      options: SchedulerOptions? = nil
    ) async throws
  {
    try Task.checkCancellation()
    guard duration > .zero else { return }
    try await wait(until: now.advanced(by: duration), tolerance: tolerance, options: options)
  }

  /// Waits until the scheduler's time has come to a deadline.
  ///
  /// A deadline that has come already or has passed ends the wait at once.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, before or while it waits; nothing stays armed then.
  nonisolated(nonsending)
    public func sleep(
      until deadline: SchedulerTimeType, tolerance: SchedulerTimeType.Stride = .zero,
      options: SchedulerOptions? = nil
    ) async throws
  {
    try Task.checkCancellation()
    guard deadline > now else { return }
    try await wait(until: deadline, tolerance: tolerance, options: options)
  }

  nonisolated(nonsending)
    private func wait(
      until deadline: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?
    ) async throws
  {
    try await Sleeper.sleep { wake in
      scheduleOnce(after: deadline, tolerance: tolerance, options: options, wake)
    }
  }
}
