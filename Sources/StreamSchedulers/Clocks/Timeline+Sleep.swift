internal import Streams
internal import Synchronization

extension Timeline {
  /// Suspends the calling task until a date; one that has come already suspends nobody.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before; nothing stays armed then.
  nonisolated(nonsending)
    func sleep(until date: Int) async throws
  {
    try Task.checkCancellation()
    guard now < date else { return }
    // Who awaits an advance waits for whoever is on the way into a sleep, or out of one.
    sleeperCount.wrappingAdd(1, ordering: .releasing)
    defer { sleeperCount.wrappingSubtract(1, ordering: .releasing) }
    try await Sleeper.sleep { wake in insertSleep(until: date, wake) }
  }

  /// Keeps what wakes a sleeper until a date; returns nil, and keeps nothing, if that has come already.
  ///
  /// Both are decided at once. If time were moved on in between, from another thread, the sleeper would be due now, and
  /// nobody would move time on to now again.
  private func insertSleep(until date: Int, _ wake: @escaping () -> Void) -> (any Cancellable)? {
    let action = ActionTable.Action(run: wake)
    let armed = withLock { agenda, table -> (name: ActionTable.Name, waiters: ArmingWaiters?)? in
      guard agenda.now < date else { return nil }
      // Sleeps that end at the same moment have no order: that is for who explores orders.
      return (agenda.arm(action, at: date, lane: .sleeps, &table), agenda.armingWaiters)
    }
    guard let armed else { return nil }
    armed.waiters?.arm()
    if ArmingObservation.count.load(ordering: .relaxed) > 0 { noteArming(of: armed.name) }
    return ActionCanceller(table, armed.name)
  }
}
