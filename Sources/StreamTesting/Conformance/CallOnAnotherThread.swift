import Dispatch
import Foundation

/// A call that runs on its own thread and must return while the thread that started it waits.
///
/// If the call doesn't return, this takes the whole `patience`.
final class CallOnAnotherThread {
  /// The number of seconds after which a call is considered to be waiting.
  @TaskLocal static var patience = 10.0

  /// The number of seconds within which a waiting call must return after the delivery.
  @TaskLocal static var secondPatience = 10.0

  private let hasReturned = DispatchSemaphore(value: 0)
  /// Indicates whether the call hasn't returned in time.
  private(set) var isWaiting = false

  /// Calls a closure on another thread, and waits until the closure has returned and been released, or `patience` has
  /// run out.
  func call(_ work: @escaping () -> Void) {
    let work = Work(work)
    Thread.detachNewThread { [hasReturned] in
      work.run()
      hasReturned.signal()
    }
    isWaiting = !returns(within: Self.patience)
  }

  /// Waits once more for a call that hasn't returned in time, and returns whether there was such a call.
  func hasWaited() -> Bool {
    _ = returnsNow()
    return isWaiting
  }

  /// Waits again for a call that hasn't returned in time, and returns whether it has returned now.
  func returnsNow() -> Bool { !isWaiting || returns(within: Self.secondPatience) }

  private func returns(within seconds: Double) -> Bool { hasReturned.wait(timeout: .now() + seconds) == .success }
}

/// A closure that's released before its thread ends, because ending a thread takes a while.
private final class Work: @unchecked Sendable {
  // `Sendable` is unchecked because of the closure, which is handed over to the new thread. The starting thread waits.
  // If it no longer does, locks protect everything that the closure calls.
  private var work: (() -> Void)?

  init(_ work: @escaping () -> Void) { self.work = work }

  func run() {
    work?()
    work = nil
  }
}
