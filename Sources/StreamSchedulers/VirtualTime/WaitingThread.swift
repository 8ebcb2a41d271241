internal import Dispatch

#if canImport(CDispatch)
  private import CDispatch
#endif

/// The kind of thread that a call to this package blocks, according to what else needs the thread.
package enum WaitingThread {
  /// A thread of Swift's concurrency pool, which has as many threads as there are processors and doesn't add any for blocked
  /// ones.
  case pool

  /// The thread of the main actor and the main queue.
  case main

  /// A thread that nothing else needs.
  case own

  /// The kind of the calling thread.
  package static var current: Self {
    let label = queueLabel
    if isOnMainThread || label == "com.apple.main-thread" { return .main }
    // The first is the label on Linux, the second the suffix on Apple's platforms.
    return label == "Swift global concurrent queue" || label.hasSuffix(".cooperative") ? .pool : .own
  }

  /// Returns text to append to the message about an unsuccessful wait. The text begins with a line break, or is empty on a
  /// thread that nothing else needs.
  package static func hint(instead: String) -> String {
    switch current {
    case .pool:
      "\nThis call blocks one of the few threads in Swift's concurrency pool. The task that it waits for may need "
        + "that thread to run. \(instead)"
    case .main:
      "\nThis call blocks the main thread, so main-actor tasks and work on the main queue can't run in the meantime. "
        + instead
    case .own: ""
    }
  }

  /// The label of the caller's queue, or the label that the system returns on a thread without a queue.
  private static var queueLabel: String {
    #if canImport(CDispatch)
      let label: UnsafePointer<CChar>? = dispatch_queue_get_label(nil)
    #else
      let label: UnsafePointer<CChar>? = __dispatch_queue_get_label(nil)
    #endif
    return label.map { String(cString: $0) } ?? ""
  }
}
