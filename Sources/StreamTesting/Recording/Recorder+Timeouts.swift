public import Dispatch
public import StreamSchedulers

// Overloads for a literal number of seconds, as schedulers take it. A literal with a unit resolves to the methods with
// a `Duration`.

extension Recorder {
  /// Waits for the next value, with a timeout in the time of schedulers, such as `2` seconds.
  ///
  /// - Parameters:
  ///   - timeout: The maximum time to wait.
  /// - Returns: The value, or `nil` if none has arrived, which is reported unless the task was cancelled.
  /// - Complexity: O(*n*), where *n* is the number of events so far.
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

  /// Waits for a number of values, with a timeout in the time of schedulers, such as `2` seconds.
  ///
  /// - Parameters:
  ///   - count: The number of values to wait for.
  ///   - timeout: The maximum time to wait for all of them.
  /// - Returns: The values that have arrived. If there are fewer, that is reported unless the task was cancelled.
  /// - Complexity: O(*n*) for each value, where *n* is the number of events so far.
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

  /// Waits until the stream finishes, with a timeout in the time of schedulers, such as `2` seconds.
  ///
  /// - Parameters:
  ///   - timeout: The maximum time to wait.
  /// - Returns: `true` if the stream has finished.
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
