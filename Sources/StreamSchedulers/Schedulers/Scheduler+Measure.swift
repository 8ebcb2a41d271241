public import Streams

extension Scheduler {
  /// Measures how much of the scheduler's time a closure takes.
  ///
  /// ```swift
  /// let duration = DispatchQueue.main.measure { index.rebuild() }
  /// ```
  ///
  /// - Parameter work: The closure to measure.
  /// - Returns: The scheduler's time from the beginning to the end of the closure.
  /// - Throws: The error that the closure throws.
  @inlinable @_disfavoredOverload
  public func measure<Failure: Error>(
    _ work: () throws(Failure) -> Void
  ) throws(Failure) -> SchedulerTimeType.Stride {
    let start = now
    try work()
    return start.distance(to: now)
  }

  /// Measures how much of the scheduler's time an asynchronous closure takes, including its suspensions.
  ///
  /// - Parameter work: The closure to measure.
  /// - Returns: The scheduler's time from the beginning to the end of the closure.
  /// - Throws: The error that the closure throws.
  @inlinable @_disfavoredOverload
  nonisolated(nonsending)
    public func measure<Failure: Error>(
      _ work: nonisolated(nonsending) () async throws(Failure) -> Void
    ) async throws(Failure) -> SchedulerTimeType.Stride
  {
    let start = now
    try await work()
    return start.distance(to: now)
  }
}
