import Dispatch
import Foundation

/// A call on a thread of its own, which has to return while the thread that started it waits.
///
/// A call that does return takes as long as it takes a thread to start. Only one that does not costs time.
final class CallOnAnotherThread {
  /// The seconds after which a call is considered to be waiting.
  @TaskLocal static var patience = 10.0

  private let hasReturned = DispatchSemaphore(value: 0)
  private var isWaiting = false

  /// Calls a closure on another thread, and returns when it has returned, or when the time has passed.
  func call(_ work: @escaping () -> Void) {
    // Safe despite `nonisolated(unsafe)`: this thread waits meanwhile, and a probe is protected by its lock.
    nonisolated(unsafe) let work = work
    Thread.detachNewThread { [hasReturned] in
      work()
      hasReturned.signal()
    }
    isWaiting = hasReturned.wait(timeout: .now() + Self.patience) == .timedOut
  }

  /// Returns whether the call has not returned in time; it may return now, before anything else is checked.
  func hasWaited() -> Bool {
    if isWaiting { _ = hasReturned.wait(timeout: .now() + Self.patience) }
    return isWaiting
  }
}
