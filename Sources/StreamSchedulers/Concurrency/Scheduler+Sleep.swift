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
    guard isAhead(duration) else { return try Task.checkCancellation() }
    try await Sleeper.sleep { wake in
      scheduleOnce(after: now.advanced(by: duration), tolerance: tolerance, options: options, wake)
    }
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
    guard isAhead(deadline) else { return try Task.checkCancellation() }
    try await Sleeper.sleep { wake in
      scheduleOnce(after: deadline, tolerance: tolerance, options: options, wake)
    }
  }

  // Functions of their own, because dates of a type that is not known would be kept in the task's memory, not on the stack.

  private func isAhead(_ duration: SchedulerTimeType.Stride) -> Bool { duration > .zero }

  private func isAhead(_ deadline: SchedulerTimeType) -> Bool { deadline > now }
}
