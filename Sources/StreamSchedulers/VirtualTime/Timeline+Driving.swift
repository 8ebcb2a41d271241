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
  /// It gives up when a moment of real time has come and many actions have run, so that a slow machine alone does not make
  /// it give up. `describe` is given nil then.
  nonisolated(nonsending)
    func drive(
      untilIdleBefore deadline: DispatchTime, within budget: TimelineBudget, describe: (TimelineExcess?) -> String
    ) async -> String?
  {
    var patience = 10_000
    repeat {
      if isRunningJobHere {
        guard let date = nextDate else { return nil }
        await barrier(at: date)
        patience -= 1
      } else {
        await Task.yield()
        if let excess = run(before: deadline, &patience, within: budget) { return describe(excess) }
        await Task.yield()
      }
      if pendingCount == 0 || Task.isCancelled { return nil }
    } while patience > 0 || DispatchTime.now() < deadline
    return describe(nil)
  }

  /// Runs what is left, in order, until nothing is, or the patience is over and the moment of real time has come.
  private func run(
    before deadline: DispatchTime, _ patience: inout Int, within budget: TimelineBudget
  ) -> TimelineExcess? {
    inOneCall { excess in
      while patience > 0 || DispatchTime.now() < deadline,
        let action = next(through: nil, within: budget, keepsCall: true, &excess)
      {
        patience -= 1
        action.run()
      }
    }
  }

  /// Runs actions, one after the other, as one call that moves time on; returns what took too much.
  func inOneCall(_ body: (inout TimelineExcess?) -> Void) -> TimelineExcess? {
    driving {
      withLock { agenda, _ in agenda.beginCall() }
      var excess: TimelineExcess?
      body(&excess)
      withLock { agenda, _ in agenda.endCall(at: nil) }
      return excess
    }
  }
}
