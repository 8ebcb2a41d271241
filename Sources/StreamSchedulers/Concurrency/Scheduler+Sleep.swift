public import Streams

extension Scheduler {
  /// Waits until the scheduler's time has moved on by a duration.
  ///
  /// The duration counts from the call. One of zero or less is over already: the call returns at once. On a test
  /// scheduler the wait ends when the test advances far enough.
  ///
  /// ```swift
  /// try await scheduler.sleep(for: .milliseconds(300))
  /// ```
  ///
  /// - Throws: `CancellationError` if the task is cancelled, before or while it waits; nothing stays armed then.
  nonisolated(nonsending)
    public func sleep(
      for duration: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride = .zero,
      options: SchedulerOptions? = nil
    ) async throws
  {
    try Task.checkCancellation()
    guard duration > .zero else { return }
    try await wait(until: now.advanced(by: duration), tolerance: tolerance, options: options)
  }

  /// Waits until the scheduler's time has come to a deadline.
  ///
  /// A deadline that has come already or has passed ends the wait at once.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, before or while it waits; nothing stays armed then.
  nonisolated(nonsending)
    public func sleep(
      until deadline: SchedulerTimeType, tolerance: SchedulerTimeType.Stride = .zero,
      options: SchedulerOptions? = nil
    ) async throws
  {
    try Task.checkCancellation()
    guard deadline > now else { return }
    try await wait(until: deadline, tolerance: tolerance, options: options)
  }

  nonisolated(nonsending)
    private func wait(
      until deadline: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?
    ) async throws
  {
    let sleeper = Sleeper()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard sleeper.sleep(continuation) else { return }
        sleeper.hold(
          scheduleOnce(after: deadline, tolerance: tolerance, options: options) { sleeper.wake() })
      }
    } onCancel: {
      sleeper.cancel()
    }
  }
}

/// A task that waits and what will wake it.
private final class Sleeper: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects everything in `State`. What is in it
  // is used by whoever takes it out, outside the lock.
  private let state = Locked(State.awake)

  private enum State {
    case awake
    case asleep(CheckedContinuation<Void, any Error>, alarm: (any Cancellable)?)
    case over
    case cancelled
  }

  /// Starts the wait, unless it has been cancelled before; then it ends at once.
  func sleep(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
    let isAsleep = state.withLock { state in
      guard case .awake = state else { return false }
      state = .asleep(continuation, alarm: nil)
      return true
    }
    if !isAsleep { continuation.resume(throwing: CancellationError()) }
    return isAsleep
  }

  /// Keeps what will wake the task, so that it can be cancelled; it may have done so already.
  func hold(_ alarm: any Cancellable) {
    let isCancelled = state.withLock { state in
      switch state {
      case .asleep(let continuation, _):
        state = .asleep(continuation, alarm: alarm)
        return false
      case .cancelled: return true
      case .awake, .over: return false
      }
    }
    if isCancelled { alarm.cancel() }
  }

  func wake() {
    guard case .asleep(let continuation, _) = end(as: .over) else { return }
    continuation.resume()
  }

  func cancel() {
    guard case .asleep(let continuation, let alarm) = end(as: .cancelled) else { return }
    alarm?.cancel()
    continuation.resume(throwing: CancellationError())
  }

  /// Ends the wait, if that has not been done before, and returns what was before.
  private func end(as ending: State) -> State {
    state.withLock { state in
      let old = state
      switch old {
      case .awake, .asleep: state = ending
      case .over, .cancelled: break
      }
      return old
    }
  }
}
