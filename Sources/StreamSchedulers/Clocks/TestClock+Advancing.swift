internal import Dispatch
internal import Streams

extension TestClock {
  /// Moves time on by a duration and wakes, in order, who is to wake on the way.
  ///
  /// Without an argument it runs what is due now: tasks on the clock's timeline that have just been started, for example.
  /// From inside a task of the timeline it is a mistake, which is reported: write `await` there.
  ///
  /// A negative duration is reported and changes nothing. If a million actions have run, or a hundred thousand at one
  /// moment, and more are due, that is reported with the busiest ones, and time stays where it has come.
  public func advance(
    by duration: Duration = .zero,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let target = target(by: duration, place) else { return }
    drive(through: target, place)
  }

  /// Moves time on to a moment and wakes, in order, who is to wake on the way.
  ///
  /// A moment in the past is reported and changes nothing.
  public func advance(
    to instant: Instant,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let target = target(at: instant, place) else { return }
    drive(through: target, place)
  }

  /// Moves time on by a duration, and goes on when everything that is due on the way has been done.
  ///
  /// Inside of a task on the clock's timeline it is a barrier: it returns when nothing is left to run at that moment.
  ///
  /// Elsewhere it stops at each deadline, lets everybody come to rest who is woken there, and goes on. A task of the caller's
  /// actor is not missed. Tasks on other threads are waited for until none of them has done anything on the clock for some
  /// time; where that is not enough, wait with `await clock.armed(_:)` until they sleep. It takes some milliseconds for each
  /// deadline. A cancelled task comes to its target all the same.
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

  /// Moves time on to a moment, and goes on when everything that is due on the way has been done.
  ///
  /// It does what the other asynchronous `advance` does. A moment in the past is reported and changes nothing.
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

  /// Moves time on until nobody sleeps any more, to the last deadline.
  ///
  /// Work that never ends is reported with the busiest actions when a million have run; time stays where it has come.
  public func run(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    drive(through: nil, SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Moves time on until nobody sleeps any more, to the last deadline.
  ///
  /// It stops at each deadline and lets everybody come to rest who is woken there, as the asynchronous `advance` does.
  ///
  /// Work that never ends does not make it hang. When the timeout has gone by in real time and a thousand deadlines have
  /// come, or twenty times the timeout and a hundred deadlines, what still waits is reported at the line of the call; time
  /// stays where it has come, and the sleepers go on sleeping. So it is when the task is cancelled, without a report.
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
