internal import Dispatch
internal import Streams

/// Who waits until something is armed on a timeline.
final class ArmingWaiters: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the list.
  private let waiters = Locked<[Waiter]>([])

  func add(_ waiter: Waiter) { waiters.withLock { $0.append(waiter) } }

  func arm() {
    let all = waiters.withLock { waiters in
      defer { waiters = [] }
      return waiters
    }
    for waiter in all { waiter.resume() }
  }
}

extension Timeline {
  /// Tells a waiter when the next action is armed.
  func waitForArming(_ waiter: Waiter) {
    let waiters = withLock { agenda, _ in
      if let waiters = agenda.armingWaiters { return waiters }
      let waiters = ArmingWaiters()
      agenda.armingWaiters = waiters
      return waiters
    }
    waiters.add(waiter)
  }

  /// Waits until so many actions are armed; returns whether they are before the deadline, and before it is cancelled.
  nonisolated(nonsending)
    func armed(_ count: Int, until deadline: DispatchTime) async -> Bool
  {
    while pendingCount < count {
      await Waiter.wait(until: deadline) { waiter in
        waitForArming(waiter)
        if pendingCount >= count { waiter.resume() }
      }
      if pendingCount >= count { break }
      guard DispatchTime.now() < deadline, !Task.isCancelled else { return false }
    }
    return true
  }

  /// Blocks the thread until so many actions are armed, and returns whether they are before the deadline.
  func armed(_ count: Int, until deadline: DispatchTime) -> Bool {
    while pendingCount < count {
      let semaphore = DispatchSemaphore(value: 0)
      waitForArming(Waiter { semaphore.signal() })
      if pendingCount >= count { break }
      guard semaphore.wait(timeout: deadline) == .success else { return false }
    }
    return true
  }

  /// Blocks the thread until something is armed, and returns whether something is.
  func waitForArming(_ deadline: DispatchTime, unless isDone: () -> Bool) -> Bool {
    let semaphore = DispatchSemaphore(value: 0)
    waitForArming(Waiter { semaphore.signal() })
    // It may have been armed before the waiter was there.
    if nextDate != nil || isDone() { return true }
    return semaphore.wait(timeout: deadline) == .success
  }
}

extension TestScheduler {
  /// Waits, in real time, until so many actions and sleeps are armed.
  ///
  /// It is for work that stays outside of the timeline, such as a task of a live actor that is going to sleep on the
  /// scheduler's clock. When it returns, time can be moved on without missing anyone.
  ///
  /// ```swift
  /// model.poll()   // starts a task of its own, which sleeps
  /// await scheduler.armed(1)
  /// await scheduler.advance(by: .seconds(1))
  /// ```
  ///
  /// If that does not happen within the timeout, what is armed and how many are missing is reported.
  ///
  /// - Returns: Whether so many are armed.
  @discardableResult
  nonisolated(nonsending)
    public func armed(
      _ count: Int, timeout: Duration = .seconds(30),
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> Bool
  {
    if await timeline.armed(count, until: .after(timeout)) { return true }
    if !Task.isCancelled {
      reportMissing(count, timeout, SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
    }
    return false
  }

  /// Blocks the thread, in real time, until so many actions and sleeps are armed.
  ///
  /// It is the other `armed` for tests without `await`, on a thread that nobody else needs. In a function that a task calls
  /// it keeps a thread from other tasks, and so perhaps from the one that it waits for; the report says so.
  @discardableResult
  public func armed(
    _ count: Int, timeout: Duration = .seconds(30),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> Bool {
    if timeline.armed(count, until: .after(timeout)) { return true }
    let hint = WaitingThread.hint(
      instead: "Write `await scheduler.armed(\(count))` in an asynchronous function, or wait on a thread of your own.")
    reportMissing(
      count, timeout, SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column), hint: hint)
    return false
  }

  private func reportMissing(_ count: Int, _ timeout: Duration, _ place: SourcePlace, hint: String = "") {
    let armed = pendingCount
    let what = armed == 0 ? "nothing is" : "\(armed) of \(count) are"
    place.report("Within \(timeout) \(what) armed, \(count - armed) missing:\(timeline.pendingLines)\(hint)")
  }
}
