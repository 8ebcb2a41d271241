internal import Dispatch
internal import Streams

extension TestClock {
  /// Advances time by a duration and wakes, in order, the sleepers whose deadlines are reached.
  ///
  /// Without an argument it runs what is due now, such as tasks that have just been started on the clock's timeline. A
  /// call from inside a task of the timeline is reported and changes nothing; write `await` there.
  ///
  /// A negative duration is reported and changes nothing. If more than a million actions are due, or more than a
  /// hundred thousand at one instant, the busiest ones are reported, and time stays at the date it has reached.
  ///
  /// - Parameter duration: The duration to advance by. The default is zero.
  /// - Complexity: O(log *n*) for each wake-up, where *n* is the number of sleepers.
  public func advance(
    by duration: Duration = .zero,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let target = target(by: duration, place) else { return }
    drive(through: target, place)
  }

  /// Advances time to an instant and wakes, in order, the sleepers whose deadlines are reached.
  ///
  /// An instant in the past is reported and changes nothing.
  ///
  /// - Parameter instant: The instant to advance to.
  /// - Complexity: O(log *n*) for each wake-up, where *n* is the number of sleepers.
  public func advance(
    to instant: Instant,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let target = target(at: instant, place) else { return }
    drive(through: target, place)
  }

  /// Advances time by a duration, and returns when everything due on the way has run.
  ///
  /// In a task of the clock's timeline it is a barrier: it returns when nothing is left to run at the target.
  ///
  /// Elsewhere it stops at each deadline, lets the tasks that wake there come to rest, so that each sleeps, waits or
  /// has ended, and continues. It never misses a task of the caller's actor. For tasks on other threads it waits until
  /// none of them has used the clock for some time; where that is not enough, wait with `await clock.armed(_:)` until
  /// they sleep. Each deadline takes some milliseconds. Cancelling the calling task does not stop the advance.
  ///
  /// - Parameter duration: The duration to advance by. The default is zero.
  nonisolated(nonsending)
    public func advance(
      by duration: Duration = .zero,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async
  {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let target = target(by: duration, place) else { return }
    await drive(to: target, place)
  }

  /// Advances time to an instant, and returns when everything due on the way has run.
  ///
  /// Apart from its argument it behaves like the asynchronous `advance(by:)`. An instant in the past is reported and
  /// changes nothing.
  ///
  /// - Parameter instant: The instant to advance to.
  nonisolated(nonsending)
    public func advance(
      to instant: Instant,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async
  {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let target = target(at: instant, place) else { return }
    await drive(to: target, place)
  }

  /// Advances time until no task sleeps any more, to the last deadline.
  ///
  /// Work that never ends is reported with the busiest actions after a million actions, and time stays at the date it
  /// has reached.
  ///
  /// - Complexity: O(log *n*) for each wake-up, where *n* is the number of sleepers.
  public func run(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    drive(through: nil, SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Advances time until no task sleeps any more, to the last deadline.
  ///
  /// It stops at each deadline and lets the tasks that wake there come to rest, as the asynchronous `advance(by:)`
  /// does.
  ///
  /// Work that never ends does not make it hang. It gives up when the timeout has elapsed in real time and a thousand
  /// deadlines have passed, or when twenty times the timeout has elapsed and a hundred deadlines have passed: the
  /// pending work is reported at the line of the call, time stays at the date it has reached, and sleepers keep
  /// sleeping. If the calling task is cancelled, it stops without a report.
  ///
  /// - Parameter timeout: The real time after which to give up. The default is 500 milliseconds.
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
  private func target(by duration: Duration, _ place: SourcePlace) -> Int? {
    guard duration >= .zero else {
      timeline.reportGoingBack("by", duration.virtualNanoseconds, place)
      return nil
    }
    return timeline.now.addingSaturating(duration.virtualNanoseconds)
  }

  private func target(at instant: Instant, _ place: SourcePlace) -> Int? {
    let target = offset(of: instant)
    guard target >= timeline.now else {
      timeline.reportGoingBack("to", target, place)
      return nil
    }
    return target
  }

  private func drive(through target: Int?, _ place: SourcePlace) {
    let problem = timeline.drive(through: target, within: budget, of: "clock")
    if let problem { place.report(problem) }
  }

  nonisolated(nonsending)
    private func drive(to target: Int, _ place: SourcePlace) async
  {
    let problem = await timeline.drive(to: target, within: budget, of: "clock")
    if let problem { place.report(problem) }
  }
}
