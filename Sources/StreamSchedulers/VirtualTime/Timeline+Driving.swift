internal import Dispatch
internal import Streams

// Methods that advance time for the schedulers and clocks on a timeline. Each `drive` method returns the text of an issue, or
// `nil`.
extension Timeline {
  /// Runs the actions that are due up to a target, or all actions if the target is `nil`.
  func drive(
    through target: Int?, within budget: TimelineBudget, of owner: String
  ) -> String? {
    if isRunningJobHere {
      return "Advancing time from inside a task that the \(owner) is running has no effect: write "
        + "await \(owner).advance(by:) in an asynchronous function."
    }
    return run(through: target, within: budget)?.description
  }

  /// Runs the actions that are due up to a date, and lets tasks come to rest at each date on the way. When it's
  /// called from a task on this timeline, it doesn't run anything, but waits until nothing else is left to run at the date.
  nonisolated(nonsending)
    func drive(
      to date: Int, within budget: TimelineBudget, of owner: String
    ) async -> String?
  {
    if isRunningJobHere {
      await barrier(at: date)
      return nil
    }
    return await moveOn(to: date, within: budget)?.description
  }

  /// Runs actions until none is left, and lets tasks come to rest at each date on the way. In a task of this timeline, it only
  /// waits until nothing else is left.
  ///
  /// It gives up when the timeout has elapsed in real time and many dates have passed, or when fewer dates have passed but many
  /// times the timeout has elapsed. A slow machine alone therefore doesn't make it give up.
  nonisolated(nonsending)
    func drive(
      untilIdleFor timeout: Duration, within budget: TimelineBudget, of owner: String
    ) async -> String?
  {
    let deadline = DispatchTime.after(timeout)
    let end = timeout < .seconds(3600) ? .after(max(.zero, timeout) * 20) : DispatchTime.distantFuture
    if isRunningJobHere { return await barriers(untilIdleBefore: deadline) ? nil : textOfUnfinishedRun(owner, timeout) }
    var move = beginMove(within: budget)
    defer { endMove(move) }
    var dateCount = 0
    while true {
      if let excess = await rest(&move) { return excess.description }
      guard let date = nextDate, !Task.isCancelled else { return nil }
      if dateCount >= 100, DispatchTime.now() > (dateCount < 1_000 ? end : deadline) {
        return textOfUnfinishedRun(owner, timeout)
      }
      dateCount += 1
      if let excess = run(through: date, for: move) { return excess.description }
    }
  }

  /// Returns the issue text for a run that hasn't ended within its timeout.
  private func textOfUnfinishedRun(_ owner: String, _ timeout: Duration) -> String {
    "The \(owner) did not become idle within \(timeout); it is at \(presentText). "
      + (pendingText() ?? "No action is pending.")
  }

  /// Waits, in a task of this timeline, until nothing else is left. Returns `false` if it gives up.
  nonisolated(nonsending)
    private func barriers(untilIdleBefore deadline: DispatchTime) async -> Bool
  {
    var patience = 10_000
    while let date = nextDate, !Task.isCancelled {
      guard patience > 0 || DispatchTime.now() < deadline else { return false }
      patience -= 1
      await barrier(at: date)
    }
    return true
  }

  /// Runs a closure, which runs actions, as one call that advances time. Returns the excess if the budget was exceeded.
  func driveInOneCall(_ body: (inout TimelineExcess?) -> Void) -> TimelineExcess? {
    driving {
      withLock { agenda, _ in agenda.beginCall() }
      var excess: TimelineExcess?
      body(&excess)
      withLock { agenda, _ in agenda.endCall(at: nil) }
      return excess
    }
  }

  /// The current date for messages, as the time since the beginning.
  var presentText: String { DurationText.described(now) }

  /// Reports a call that would move time back, given the label and the value of its argument.
  func reportGoingBack(_ label: String, _ nanoseconds: Int, _ location: CodeLocation) {
    let argument = "\(label): \(DurationText.described(nanoseconds))"
    location.report("Time cannot go back: advance(\(argument)) has no effect, and the time stays \(presentText).")
  }
}
