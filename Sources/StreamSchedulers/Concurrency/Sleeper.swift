internal import Streams

/// A task that waits and what will wake it.
final class Sleeper: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects everything in `State`. What is in it
  // is used by whoever takes it out, outside the lock.
  private let state = Locked(State.awake)

  private enum State {
    case awake
    case asleep(CheckedContinuation<Void, any Error>, alarm: (any Cancellable)?)
    case over
    case cancelled
  }

  /// Waits until the closure that the alarm is armed with is called.
  ///
  /// - Parameter arm: Arms the alarm and returns what cancels it; nil if its time has come already.
  /// - Throws: `CancellationError` if the task is cancelled before; the alarm is cancelled then.
  nonisolated(nonsending)
    static func sleep(_ arm: (@escaping () -> Void) -> (any Cancellable)?) async throws
  {
    let sleeper = Sleeper()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard sleeper.sleep(continuation) else { return }
        guard let alarm = arm({ sleeper.wake() }) else { return sleeper.wake() }
        sleeper.hold(alarm)
      }
    } onCancel: {
      sleeper.cancel()
    }
  }

  /// Starts the wait, unless it has been cancelled before; then it ends at once.
  private func sleep(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
    let isAsleep = state.withLock { state in
      guard case .awake = state else { return false }
      state = .asleep(continuation, alarm: nil)
      return true
    }
    if !isAsleep { continuation.resume(throwing: CancellationError()) }
    return isAsleep
  }

  /// Keeps what will wake the task, so that it can be cancelled; it may have done so already.
  private func hold(_ alarm: any Cancellable) {
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

  private func wake() {
    guard case .asleep(let continuation, _) = end(as: .over) else { return }
    continuation.resume()
  }

  private func cancel() {
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
