internal import Dispatch

/// A queue that says more about itself than its type does. The module `StreamInspection` asks it.
package protocol InspectedQueue {
  var label: String { get }

  /// Indicates whether this is the queue of the main thread.
  var isMain: Bool { get }

  /// Indicates whether the queue has been suspended, if it tells.
  var isSuspended: Bool { get }
}

extension DispatchQueue: InspectedQueue {
  package var isMain: Bool { label == "com.apple.main-thread" }

  /// False, because the state of a dispatch queue can't be read.
  package var isSuspended: Bool { false }
}
