internal import Streams

/// A task that waits and what will wake it.
final class Sleeper: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects everything in `State`. What is in it
  // is used by whoever takes it out, outside the lock.
  private let state = Locked(State())

  private struct State {
    enum Phase {
      case awake, asleep, over, cancelled
    }

    var phase = Phase.awake

    /// Returns whether the wait was cancelled. It is unchecked because the phase says that it is resumed once: a checked
    /// one costs more than the rest of the sleep.
    var continuation: UnsafeContinuation<Bool, Never>?

    var alarm: (any Cancellable)?
  }

  /// Waits until the closure that the alarm is armed with is called.
  ///
  /// - Parameter arm: Arms the alarm and returns what cancels it; nil if its time has come already.
  /// - Throws: `CancellationError` if the task is cancelled before; the alarm is cancelled then.
  @inline(__always)
  nonisolated(nonsending)
    static func sleep(_ arm: (@escaping () -> Void) -> (any Cancellable)?) async throws
  {
    let sleeper = Sleeper()
    let isCancelled: Bool
    let isolation = #isolation
    if isolation == nil {
      // The same without the actor, which spares two switches of a task that has none.
      isCancelled = await withTaskCancellationHandler {
        await withUnsafeContinuation { sleeper.sleep($0, arm) }
      } onCancel: {
        sleeper.end(as: .cancelled)
      }
    } else {
      isCancelled = await sleeper.wait(isolation: #isolation, arm)
    }
    if isCancelled { throw CancellationError() }
  }

  /// Waits on an actor.
  ///
  /// Only a closure that captures the isolation stays there: another one would go through the threads of the process
  /// before the alarm is armed.
  private func wait(
    isolation: isolated (any Actor)?, _ arm: (@escaping () -> Void) -> (any Cancellable)?
  ) async -> Bool {
    await withTaskCancellationHandler {
      _ = isolation
      return await withUnsafeContinuation { sleep($0, arm) }
    } onCancel: {
      end(as: .cancelled)
    }
  }

  /// Starts the wait and arms the alarm.
  private func sleep(
    _ continuation: UnsafeContinuation<Bool, Never>, _ arm: (@escaping () -> Void) -> (any Cancellable)?
  ) {
    guard begin(continuation) else { return continuation.resume(returning: true) }
    guard let alarm = arm({ self.end(as: .over) }) else { return end(as: .over) }
    hold(alarm)
  }

  /// Starts the wait, unless it has been cancelled before.
  private func begin(_ continuation: UnsafeContinuation<Bool, Never>) -> Bool {
    state.withLock { state in
      guard state.phase == .awake else { return false }
      state.phase = .asleep
      state.continuation = continuation
      return true
    }
  }

  /// Keeps what will wake the task, so that it can be cancelled; it may have done so already.
  private func hold(_ alarm: any Cancellable) {
    let isCancelled = state.withLock { state in
      if state.phase == .asleep { state.alarm = alarm }
      return state.phase == .cancelled
    }
    if isCancelled { alarm.cancel() }
  }

  /// Ends the wait, if that has not been done before.
  private func end(as ending: State.Phase) {
    let (continuation, alarm) = state.withLock { state in
      if state.phase == .awake || state.phase == .asleep { state.phase = ending }
      return (state.continuation.take(), state.alarm.take())
    }
    if ending == .cancelled { alarm?.cancel() }
    continuation?.resume(returning: ending == .cancelled)
  }
}
