internal import Dispatch

// What moving time on means, for every face of a timeline. Each returns what is to be reported, if anything is.
extension Timeline {
  /// Runs what is due until a date, or everything.
  func drive(
    through target: Int?, within budget: TimelineBudget, of face: String, describe: (TimelineExcess) -> String
  ) -> String? {
    if isRunningJobHere {
      return "Time is moved on from inside of a task that the \(face) is running, which changes nothing: write "
        + "await \(face).advance(by:) in an asynchronous function."
    }
    return run(through: target, within: budget).map(describe)
  }

  /// Runs what is due until a date; inside of a task of this timeline, it waits until that has been done.
  nonisolated(nonsending)
    func drive(
      to date: Int, within budget: TimelineBudget, of face: String, describe: (TimelineExcess) -> String
    ) async -> String?
  {
    if isRunningJobHere {
      await barrier(at: date)
      return nil
    }
    await Task.yield()
    let problem = drive(through: max(date, now), within: budget, of: face, describe: describe)
    await Task.yield()
    return problem
  }

  /// Runs until nothing is left; inside of a task of this timeline, it waits until nothing else is left.
  ///
  /// When the real time has come before, `describe` is given nil.
  nonisolated(nonsending)
    func drive(
      untilIdleBefore deadline: DispatchTime, within budget: TimelineBudget, describe: (TimelineExcess?) -> String
    ) async -> String?
  {
    repeat {
      if isRunningJobHere {
        guard let date = nextDate else { return nil }
        await barrier(at: date)
      } else {
        await Task.yield()
        if let excess = run(before: deadline, within: budget) { return describe(excess) }
        await Task.yield()
      }
      if pendingCount == 0 { return nil }
    } while DispatchTime.now() < deadline && !Task.isCancelled
    return Task.isCancelled ? nil : describe(nil)
  }

  /// Runs what is left, in order, until nothing is or the real time has come.
  private func run(before deadline: DispatchTime, within budget: TimelineBudget) -> TimelineExcess? {
    let thread = DrivingThread.current
    let outer = thread.timeline
    thread.timeline = self
    defer { thread.timeline = outer }
    withLock { agenda, _ in agenda.beginCall() }
    var excess: TimelineExcess?
    while DispatchTime.now() < deadline,
      let action = next(through: nil, within: budget, keepsCall: true, &excess)
    {
      action.run()
    }
    withLock { agenda, _ in agenda.endCall(at: nil) }
    return excess
  }
}
