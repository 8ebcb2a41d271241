import Dispatch
import Foundation

/// A call on a thread of its own, which has to return while the thread that started it waits.
///
/// A call that returns takes as long as it takes a thread to start. Only one that doesn't costs time.
final class CallOnAnotherThread {
  /// The seconds after which a call is considered to be waiting.
  @TaskLocal static var patience = 10.0

  /// The seconds that a call has to return in, once what it waited for may be free.
  @TaskLocal static var secondPatience = 10.0

  private let hasReturned = DispatchSemaphore(value: 0)
  /// Indicates whether the call hasn't returned in time.
  private(set) var isWaiting = false

  /// Calls a closure on another thread, and returns when it has returned and been released, or when the time has
  /// passed.
  func call(_ work: @escaping () -> Void) {
    let work = Work(work)
    Thread.detachNewThread { [hasReturned] in
      work.run()
      hasReturned.signal()
    }
    isWaiting = !returns(within: Self.patience)
  }

  /// Returns whether the call hasn't returned in time. It may return now, before anything else is checked.
  func hasWaited() -> Bool {
    _ = returnsNow()
    return isWaiting
  }

  /// Waits again for a call that hasn't returned in time, and returns whether it has returned now.
  func returnsNow() -> Bool { !isWaiting || returns(within: Self.secondPatience) }

  private func returns(within seconds: Double) -> Bool { hasReturned.wait(timeout: .now() + seconds) == .success }
}

/// A closure that is released before its thread ends, which takes a while.
private final class Work: @unchecked Sendable {
  // `Sendable` is unchecked because of the closure, which is handed over to the new thread. The one that started it
  // waits meanwhile; if it does not any more, whatever the closure calls is protected by locks.
  private var work: (() -> Void)?

  init(_ work: @escaping () -> Void) { self.work = work }

  func run() {
    work?()
    work = nil
  }
}
