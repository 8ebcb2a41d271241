public import Streams

extension Scheduler {
  /// Returns how much of the scheduler's time a piece of work takes.
  ///
  /// ```swift
  /// let duration = DispatchQueue.main.measure { index.rebuild() }
  /// ```
  @inlinable
  public func measure<Failure: Error>(
    _ work: () throws(Failure) -> Void
  ) throws(Failure) -> SchedulerTimeType.Stride {
    let start = now
    try work()
    return start.distance(to: now)
  }

  /// Returns how much of the scheduler's time a piece of asynchronous work takes, waiting included.
  @inlinable
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
