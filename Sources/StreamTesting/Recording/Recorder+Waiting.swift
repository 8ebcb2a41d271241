internal import Dispatch
internal import StreamSchedulers
internal import Streams

extension Recorder {
  /// Waits for the next value. The first call returns the first value of the stream, and each later call the next one.
  ///
  /// This method is for live streams. In virtual time, advance time and read ``values`` instead. A value that has
  /// already arrived is returned immediately.
  ///
  /// ```swift
  /// let recorder = model.$results.dropFirst().record()
  /// model.query = "swift"
  /// #expect(await recorder.next() == ["Swift"])
  /// ```
  ///
  /// - Parameters:
  ///   - timeout: The maximum time to wait.
  /// - Returns: The value, or `nil` if the stream ends or the time is up first, which is reported, or if the task is cancelled,
  ///   which isn't.
  /// - Complexity: O(*n*), where *n* is the number of events so far.
  nonisolated(nonsending)
    public func next(
      timeout: Duration = .seconds(30),
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> Output?
  {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return await next(after: 0, of: 1, until: .after(timeout), timeout, location)
  }

  /// Waits for the given number of values.
  ///
  /// - Parameters:
  ///   - count: The number of values to wait for.
  ///   - timeout: The maximum time to wait for all of them.
  /// - Returns: The values that have arrived. If there are fewer than `count`, that's reported as an issue, unless the
  ///   task was cancelled.
  /// - Complexity: O(*n*) for each value, where *n* is the number of events so far.
  nonisolated(nonsending)
    public func next(
      _ count: Int, timeout: Duration = .seconds(30),
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> [Output]
  {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let deadline = DispatchTime.after(timeout)
    var values: [Output] = []
    while values.count < count,
      let value = await next(after: values.count, of: count, until: deadline, timeout, location)
    {
      values.append(value)
    }
    return values
  }

  /// Waits until the stream finishes, and reports an issue if the stream fails or is cancelled, or if the time is up.
  ///
  /// - Parameters:
  ///   - timeout: The maximum time to wait.
  /// - Returns: `true` if the stream has finished.
  @discardableResult
  nonisolated(nonsending)
    public func finished(
      timeout: Duration = .seconds(30),
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> Bool
  {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let deadline = DispatchTime.after(timeout)
    while true {
      let history = state.history
      switch history.last?.event {
      case .completion(.finished):
        _ = state.read()
        return true
      case .completion(.failure(let error)):
        _ = state.read()
        location.report("The stream failed: \(error).")
        return false
      case .cancellation:
        location.report("The stream was cancelled before it finished.")
        return false
      case .next, .subscription, nil:
        guard await wait(past: history.count, until: deadline) else {
          if !Task.isCancelled { location.report("The stream did not finish within \(timeout). \(progress)\(cause)") }
          return false
        }
      }
    }
  }

  nonisolated(nonsending)
    private func next(
      after count: Int, of total: Int, until deadline: DispatchTime, _ timeout: Duration, _ location: CodeLocation
    ) async -> Output?
  {
    let wanted = total == 1 ? "another value" : "value \(count + 1) of \(total)"
    while true {
      let length = state.history.count
      switch state.takeNext() {
      case .value(let value): return value
      case .ended(let event):
        location.report("The stream ended (\(event)) before \(wanted) arrived. \(progress)")
        return nil
      case .nothingYet:
        guard await wait(past: length, until: deadline) else {
          if !Task.isCancelled {
            location.report("No value arrived within \(timeout) while waiting for \(wanted). \(progress)\(cause)")
          }
          return nil
        }
      }
    }
  }

  /// Waits for the next event, and returns `false` if the time is up or the task is cancelled first.
  nonisolated(nonsending)
    private func wait(past count: Int, until deadline: DispatchTime) async -> Bool
  {
    await Waiter.wait(until: deadline, for: state) { state.wait(past: count, $0) }
    return state.history.count > count
  }

  /// A text that says why nothing arrives and shows the stream's tree. It begins with a line break, or is empty if the
  /// stream isn't alive.
  var cause: String { state.explanation.map { $0.lines().map { "\n\($0)" }.joined() } ?? "" }

  /// A description of the events so far, and of missing demand.
  var progress: String {
    let history = state.history.filter { $0.event.isSignal }
    let past = history.isEmpty ? "No events so far" : "So far: \(history.map { "\($0.event)" }.joined(separator: ", "))"
    let demand = isLive && outstandingDemand == .none ? "; no more values were requested" : ""
    return past + demand + "."
  }
}
