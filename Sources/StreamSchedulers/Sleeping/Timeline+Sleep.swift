internal import Streams
internal import Synchronization

extension Timeline {
  /// Suspends the calling task until a date. For a date that is now or in the past, it returns immediately.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first. Nothing stays armed then.
  nonisolated(nonsending)
    func sleep(until date: Int) async throws
  {
    try Task.checkCancellation()
    guard now < date else { return }
    // An awaited advance waits for tasks that are falling asleep or waking up.
    sleeperCount.wrappingAdd(1, ordering: .releasing)
    defer { sleeperCount.wrappingSubtract(1, ordering: .releasing) }
    try await Sleeper.sleep { wake in insertSleep(until: date, wake) }
  }

  /// Arms a wake-up for a date, or returns `nil` if the date is now or in the past.
  ///
  /// The check and the insertion are one critical section. If another thread advanced time between the two, the wake-up would
  /// be due at the current date, and if no other call followed, it would never run.
  private func insertSleep(until date: Int, _ wake: @escaping () -> Void) -> (any Cancellable)? {
    let armed = withLock { agenda, table -> (name: ActionTable.Name, waiters: ArmingWaiters?)? in
      guard agenda.now < date else { return nil }
      // Sleeps share an unordered lane, so exploration varies the order of sleeps that end at the same date.
      return (agenda.arm(ActionTable.Action(run: wake), at: date, lane: .sleeps, &table), agenda.armingWaiters)
    }
    guard let armed else { return nil }
    armed.waiters?.arm()
    if ArmingObservation.count.load(ordering: .relaxed) > 0 { noteArming(of: armed.name) }
    return ActionCanceller(table, armed.name)
  }
}
