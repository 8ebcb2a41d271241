public import Dispatch
public import StreamSchedulers

// A number of seconds, as schedulers take it. Where a unit stands there, the methods with a `Duration` are taken.

extension Recorder {
  /// Waits for the next value, at most for a time as schedulers have it, such as `2` seconds.
  @_disfavoredOverload
  nonisolated(nonsending)
    public func next(
      timeout: DispatchQueue.SchedulerTimeType.Stride,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> Output?
  {
    await next(
      timeout: .nanoseconds(timeout.magnitude), fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Waits for so many values, at most for a time as schedulers have it, such as `2` seconds.
  @_disfavoredOverload
  nonisolated(nonsending)
    public func next(
      _ count: Int, timeout: DispatchQueue.SchedulerTimeType.Stride,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> [Output]
  {
    await next(
      count, timeout: .nanoseconds(timeout.magnitude), fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Waits for the end of the stream, at most for a time as schedulers have it, such as `2` seconds.
  ///
  /// - Returns: Whether it has finished.
  @_disfavoredOverload
  @discardableResult
  nonisolated(nonsending)
    public func finished(
      timeout: DispatchQueue.SchedulerTimeType.Stride,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> Bool
  {
    await finished(
      timeout: .nanoseconds(timeout.magnitude), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
