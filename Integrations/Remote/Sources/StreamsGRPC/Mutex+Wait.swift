internal import Synchronization

/// A state that one task at a time waits for.
protocol AwaitedState: Sendable {
  /// The task that waits. Whoever changes the state takes it and resumes it, without the lock.
  var waiter: UnsafeContinuation<Void, Never>? { get set }
}

extension Mutex where Value: AwaitedState {
  /// Waits until somebody resumes the waiter, or the task is cancelled.
  ///
  /// - Parameter condition: A closure that decides, with the lock, whether there's still something to wait for.
  borrowing func wait(while condition: (inout Value) -> Bool) async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let waits = withLock { state in
          guard condition(&state), !Task.isCancelled else { return false }
          state.waiter = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      withLock { $0.waiter.take() }?.resume()
    }
  }
}
