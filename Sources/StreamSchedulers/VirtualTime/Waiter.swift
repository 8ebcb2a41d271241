package import Dispatch
internal import Streams

/// A bounded wait by a task or a thread.
package final class Waiter: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it. The lock protects the closure.
  private let action: Locked<(@Sendable () -> Void)?>

  /// Creates a waiter that calls a closure once, when it's resumed.
  package init(_ action: @escaping @Sendable () -> Void) { self.action = Locked(action) }

  package func resume() { action.withLock { $0.take() }?() }

  /// Suspends the calling task until the waiter is resumed, the task is cancelled, or the deadline passes.
  ///
  /// - Parameters:
  ///   - deadline: The time until which to wait.
  ///   - part: The task's wait, from a ``Streams/CancelledWait``, or `nil` if the task isn't waiting for a stream.
  ///   - arm: A closure that receives the waiter, to resume it later.
  nonisolated(nonsending)
    package static func wait(until deadline: DispatchTime, for part: AnyObject? = nil, _ arm: (Waiter) -> Void) async
  {
    let waiting = Locked<Waiter?>(nil)
    nonisolated(unsafe) let waitingInside = waiting
    nonisolated(unsafe) let part = part
    // `waitingInside` is unsafe only because of its type. The lock protects its contents.
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waiter = Waiter { continuation.resume() }
        waiting.withLock { $0 = waiter }
        DispatchQueue.global().asyncAfter(deadline: deadline) { waiter.resume() }
        if Task.isCancelled { waiter.resume() } else { arm(waiter) }
      }
    } onCancel: {
      guard let waiter = waitingInside.withLock({ $0 }) else { return }
      if CancelledWait.isAnyCollected, let part, CancelledWait.putsOffEnd(of: part, waiter.resume) { return }
      waiter.resume()
    }
  }
}

extension DispatchTime {
  /// Returns the time that's a duration from now, or now if the duration is negative.
  package static func after(_ duration: Duration) -> DispatchTime {
    // The sum becomes `distantFuture` beyond Dispatch's range.
    .now() + .nanoseconds(max(0, duration.virtualNanoseconds))
  }
}
