internal import Dispatch

#if canImport(CDispatch)
  private import CDispatch
#endif

/// A thread that waits in a call of this package, as far as others depend on it.
package enum WaitingThread {
  /// The pool on which Swift runs tasks; it has as many threads as there are processors, and makes no other ones for those
  /// that wait.
  case pool

  /// The thread on which the main actor and the main queue run.
  case main

  /// One that nobody else needs.
  case own

  /// The calling thread.
  package static var current: Self {
    let label = queueLabel
    if isOnMainThread || label == "com.apple.main-thread" { return .main }
    // The first is the name on Linux, the second that on the systems of Apple.
    return label == "Swift global concurrent queue" || label.hasSuffix(".cooperative") ? .pool : .own
  }

  /// What to add to the message about a wait in vain, with a line before it; nothing on a thread that nobody else needs.
  package static func hint(instead: String) -> String {
    switch current {
    case .pool:
      "\nThis call blocks a thread of Swift's concurrency pool, which has few: the task that it waits for may need that "
        + "thread to run. \(instead)"
    case .main:
      "\nThis call blocks the main thread: tasks of the main actor and work for the main queue do not run meanwhile. "
        + instead
    case .own: ""
    }
  }

  /// The label of the queue on which the caller runs, or of what stands for one on its thread.
  private static var queueLabel: String {
    #if canImport(CDispatch)
      let label: UnsafePointer<CChar>? = dispatch_queue_get_label(nil)
    #else
      let label: UnsafePointer<CChar>? = __dispatch_queue_get_label(nil)
    #endif
    return label.map { String(cString: $0) } ?? ""
  }
}
