internal import Streams

/// A sleeping task and the alarm that will wake it.
final class Sleeper: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it. The lock protects everything in `State`. A value is used
  // outside the lock only by the caller that takes it out.
  private let state = Locked(State())

  private struct State {
    enum Phase {
      case awake, asleep, over, cancelled
    }

    var phase = Phase.awake

    /// Resumed with `true` if the sleep was cancelled. Unchecked, because the phase ensures a single resumption and a
    /// checked continuation costs more than the rest of the sleep.
    var continuation: UnsafeContinuation<Bool, Never>?

    var alarm: (any Cancellable)?
  }

  /// Suspends the calling task until the alarm calls its wake-up closure.
  ///
  /// - Parameter arm: A closure that arms the alarm with a wake-up closure. It returns a cancellable for the alarm, or `nil` if
  ///   the alarm's time has already passed.
  /// - Throws: `CancellationError` if the task is cancelled first. The alarm is then cancelled.
  @inline(__always)
  nonisolated(nonsending)
    static func sleep(_ arm: (@escaping () -> Void) -> (any Cancellable)?) async throws
  {
    let sleeper = Sleeper()
    let isCancelled: Bool
    let isolation = #isolation
    if isolation == nil {
      // Like `wait`, but without an isolation parameter. This saves two executor switches.
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

  /// Suspends the calling task on its actor.
  ///
  /// Only a closure that captures the isolation stays on the actor. Any other closure would hop to the global concurrent
  /// executor before the alarm is armed.
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

  /// Starts the sleep and arms the alarm.
  private func sleep(
    _ continuation: UnsafeContinuation<Bool, Never>, _ arm: (@escaping () -> Void) -> (any Cancellable)?
  ) {
    guard begin(continuation) else { return continuation.resume(returning: true) }
    guard let alarm = arm({ self.end(as: .over) }) else { return end(as: .over) }
    hold(alarm)
  }

  /// Starts the sleep, and returns `false` if it has already been cancelled.
  private func begin(_ continuation: UnsafeContinuation<Bool, Never>) -> Bool {
    state.withLock { state in
      guard state.phase == .awake else { return false }
      state.phase = .asleep
      state.continuation = continuation
      return true
    }
  }

  /// Stores the alarm for a later cancellation, or cancels it if the sleep has been cancelled.
  private func hold(_ alarm: any Cancellable) {
    let isCancelled = state.withLock { state in
      if state.phase == .asleep { state.alarm = alarm }
      return state.phase == .cancelled
    }
    if isCancelled { alarm.cancel() }
  }

  /// Ends the sleep, if it hasn't ended yet.
  private func end(as ending: State.Phase) {
    let (continuation, alarm) = state.withLock { state in
      if state.phase == .awake || state.phase == .asleep { state.phase = ending }
      return (state.continuation.take(), state.alarm.take())
    }
    if ending == .cancelled { alarm?.cancel() }
    continuation?.resume(returning: ending == .cancelled)
  }
}
