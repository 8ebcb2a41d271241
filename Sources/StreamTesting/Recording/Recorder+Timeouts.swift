public import Dispatch
public import StreamSchedulers

// Overloads that accept a literal number of seconds, like a scheduler's intervals. A literal with a unit resolves to
// the methods with a `Duration`.

extension Recorder {
  /// Waits for the next value, like ``next(timeout:fileID:filePath:line:column:)-1384m``, with a scheduler's interval
  /// as the timeout, such as `2` for two seconds.
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

  /// Waits for the given number of values, like ``next(_:timeout:fileID:filePath:line:column:)-86ltd``, with a scheduler's
  /// interval as the timeout.
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

  /// Waits until the stream finishes, like ``finished(timeout:fileID:filePath:line:column:)-5izcr``, with a scheduler's interval
  /// as the timeout.
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
