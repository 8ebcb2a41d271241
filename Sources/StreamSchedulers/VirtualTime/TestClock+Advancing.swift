internal import Dispatch
internal import Streams

extension TestClock {
  /// Advances time by a duration and wakes, in order, the sleepers whose deadlines are reached.
  ///
  /// ```swift
  /// clock.advance(by: .seconds(1))
  /// ```
  ///
  /// Without an argument, it runs everything that is due now, such as tasks that you have just started on the clock's timeline.
  /// A call from a task on the timeline is reported and changes nothing. Write `await clock.advance(by:)` there.
  ///
  /// A negative duration is reported and changes nothing. If more than a million actions are due, or more than a hundred
  /// thousand at one instant, the call stops and reports the most frequent actions. Time then stays at the instant that it has
  /// reached.
  ///
  /// - Parameter duration: The duration to advance by.
  /// - Complexity: O(log *n*) for each wake-up, where *n* is the number of sleepers.
  public func advance(
    by duration: Duration = .zero,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let target = target(by: duration, location) else { return }
    drive(through: target, location)
  }

  /// Advances time to an instant and wakes, in order, the sleepers whose deadlines are reached.
  ///
  /// ```swift
  /// let deadline = clock.now.advanced(by: .seconds(1))
  /// clock.advance(to: deadline)
  /// ```
  ///
  /// An instant in the past is reported and changes nothing.
  ///
  /// - Parameter instant: The instant to advance to.
  /// - Complexity: O(log *n*) for each wake-up, where *n* is the number of sleepers.
  public func advance(
    to instant: Instant,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let target = target(at: instant, location) else { return }
    drive(through: target, location)
  }

  /// Advances time by a duration and returns when everything that becomes due has run.
  ///
  /// In a task on the clock's timeline, the call waits until everything else that's due up to the target has run.
  ///
  /// Elsewhere, the call stops at each deadline until each task that wakes there sleeps, waits or has ended. It never misses a
  /// task on the caller's actor. For tasks on other threads, it waits until none of them has used the clock for some time. If
  /// that isn't enough, first wait with `await clock.armed(_:)` until they sleep. Each deadline takes a few milliseconds.
  /// Cancelling the calling task doesn't stop the call.
  ///
  /// - Parameter duration: The duration to advance by.
  nonisolated(nonsending)
    public func advance(
      by duration: Duration = .zero,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async
  {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let target = target(by: duration, location) else { return }
    await drive(to: target, location)
  }

  /// Advances time to an instant and returns when everything that becomes due has run.
  ///
  /// Otherwise, it behaves like the asynchronous `advance(by:)`. An instant in the past is reported and changes nothing.
  ///
  /// - Parameter instant: The instant to advance to.
  nonisolated(nonsending)
    public func advance(
      to instant: Instant,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async
  {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let target = target(at: instant, location) else { return }
    await drive(to: target, location)
  }

  /// Advances time from deadline to deadline until nothing is pending.
  ///
  /// ```swift
  /// clock.run()
  /// ```
  ///
  /// If work never ends, the call stops after a million actions, or a hundred thousand at one instant, and reports the most
  /// frequent actions. Time then stays at the instant that it has reached.
  ///
  /// - Complexity: O(log *n*) for each wake-up, where *n* is the number of sleepers.
  public func run(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    drive(through: nil, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Advances time from deadline to deadline until nothing is pending.
  ///
  /// In a task on the clock's timeline, the call waits until nothing else is left. Elsewhere, it stops at each deadline, like
  /// the asynchronous `advance(by:)`.
  ///
  /// If work never ends, the call gives up after the timeout (in real time) and a thousand deadlines, or after twenty times the
  /// timeout and a hundred deadlines. In a task on the clock's timeline, it gives up after the timeout and ten thousand
  /// deadlines. It then reports the pending work. Time stays at the instant that it has reached, and sleepers keep sleeping. If
  /// the calling task is cancelled, the call stops without a report.
  ///
  /// - Parameter timeout: The real time after which to give up.
  nonisolated(nonsending)
    public func run(
      timeout: Swift.Duration = .milliseconds(500),
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async
  {
    let problem = await timeline.drive(untilIdleFor: timeout, within: budget, of: "clock")
    if let problem { reportIssue(problem, fileID: fileID, filePath: filePath, line: line, column: column) }
  }
}

extension TestClock {
  private func target(by duration: Duration, _ location: CodeLocation) -> Int? {
    guard duration >= .zero else {
      timeline.reportGoingBack("by", duration.virtualNanoseconds, location)
      return nil
    }
    return timeline.now.addingSaturating(duration.virtualNanoseconds)
  }

  private func target(at instant: Instant, _ location: CodeLocation) -> Int? {
    let target = offset(of: instant)
    guard target >= timeline.now else {
      timeline.reportGoingBack("to", target, location)
      return nil
    }
    return target
  }

  private func drive(through target: Int?, _ location: CodeLocation) {
    let problem = timeline.drive(through: target, within: budget, of: "clock")
    if let problem { location.report(problem) }
  }

  nonisolated(nonsending)
    private func drive(to target: Int, _ location: CodeLocation) async
  {
    let problem = await timeline.drive(to: target, within: budget, of: "clock")
    if let problem { location.report(problem) }
  }
}
