internal import Dispatch
internal import Streams

/// The waiters for the next action to be armed on a timeline.
final class ArmingWaiters: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it. The lock protects the list.
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
  /// Resumes a waiter when the next action is armed.
  func waitForArming(_ waiter: Waiter) {
    let waiters = withLock { agenda, _ in
      if let waiters = agenda.armingWaiters { return waiters }
      let waiters = ArmingWaiters()
      agenda.armingWaiters = waiters
      return waiters
    }
    waiters.add(waiter)
  }

  /// Waits until at least `count` actions are armed. Returns `false` if the deadline passes or the task is cancelled first.
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

  /// Blocks the thread until at least `count` actions are armed. Returns `false` if the deadline passes first.
  func armed(_ count: Int, until deadline: DispatchTime) -> Bool {
    while pendingCount < count {
      let semaphore = DispatchSemaphore(value: 0)
      waitForArming(Waiter { semaphore.signal() })
      if pendingCount >= count { break }
      guard semaphore.wait(timeout: deadline) == .success else { return false }
    }
    return true
  }

  /// Waits like ``armed(_:until:)``, and reports what's missing if the deadline passes.
  nonisolated(nonsending)
    func armed(_ count: Int, _ timeout: Duration, _ owner: Owner, _ location: CodeLocation) async -> Bool
  {
    if await armed(count, until: .after(timeout)) { return true }
    if !Task.isCancelled { reportMissing(count, timeout, owner, location) }
    return false
  }

  /// Blocks the thread like ``armed(_:until:)``, and reports what's missing if the deadline passes.
  func armed(_ count: Int, _ timeout: Duration, _ owner: Owner, _ location: CodeLocation) -> Bool {
    if armed(count, until: .after(timeout)) { return true }
    let call = "await \(owner.rawValue).armed(\(count))"
    let hint = WaitingThread.hint(
      instead: "Write `\(call)` in an asynchronous function, or wait on a thread of your own.")
    reportMissing(count, timeout, owner, location, hint: hint)
    return false
  }

  /// The kind of object through which the caller uses the timeline.
  enum Owner: String {
    case scheduler
    case clock
  }

  private func reportMissing(
    _ count: Int, _ timeout: Duration, _ owner: Owner, _ location: CodeLocation, hint: String = ""
  ) {
    let pending = pendingCount
    let state =
      switch owner {
      case .scheduler: (pending == 0 ? "nothing is" : "\(pending) of \(count) are") + " armed"
      case .clock: (pending == 0 ? "no task is" : "\(pending) of \(count) are") + " sleeping on the clock"
      }
    let lines = pendingLines
    let rest = (lines.isEmpty ? "." : ":\(lines)") + hint
    location.report("After \(timeout), \(state), \(count - pending) missing\(rest)")
  }

  /// Blocks the thread until an action is armed, unless one is pending or the closure returns `true`. Returns `false` if the
  /// deadline passes first.
  func waitForArming(_ deadline: DispatchTime, unless isDone: () -> Bool) -> Bool {
    let semaphore = DispatchSemaphore(value: 0)
    waitForArming(Waiter { semaphore.signal() })
    // An action may have been armed before the waiter was added.
    if nextDate != nil || isDone() { return true }
    return semaphore.wait(timeout: deadline) == .success
  }
}

extension TestScheduler {
  /// Waits, in real time, until at least `count` actions and sleeps are pending.
  ///
  /// Use it for work outside the timeline, such as a task that runs on a live actor and will sleep on the scheduler's clock.
  /// Once the method returns `true`, advancing time doesn't miss that work.
  ///
  /// ```swift
  /// model.poll()   // starts a task of its own, which sleeps
  /// await scheduler.armed(1)
  /// await scheduler.advance(by: .seconds(1))
  /// ```
  ///
  /// If the number isn't reached within the timeout, the method reports the pending actions and how many are missing. If the
  /// calling task is cancelled, the method returns immediately, without a report.
  ///
  /// - Parameters:
  ///   - count: The number of actions and sleeps to wait for.
  ///   - timeout: The real time after which to give up.
  /// - Returns: `true` if the number has been reached, otherwise `false`.
  @discardableResult
  nonisolated(nonsending)
    public func armed(
      _ count: Int, timeout: Duration = .seconds(30),
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async -> Bool
  {
    await timeline.armed(
      count, timeout, .scheduler, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Blocks the calling thread, in real time, until at least `count` actions and sleeps are pending.
  ///
  /// ```swift
  /// scheduler.armed(1)
  /// scheduler.advance(by: .seconds(1))
  /// ```
  ///
  /// Call this synchronous form of `armed(_:timeout:)` only on a thread that nothing else needs. If a task calls it, the call
  /// blocks a thread that other tasks need, perhaps the tasks that you're waiting for.
  ///
  /// - Parameters:
  ///   - count: The number of actions and sleeps to wait for.
  ///   - timeout: The real time after which to give up.
  /// - Returns: `true` if the number has been reached, otherwise `false`.
  @discardableResult
  public func armed(
    _ count: Int, timeout: Duration = .seconds(30),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> Bool {
    timeline.armed(
      count, timeout, .scheduler, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}
