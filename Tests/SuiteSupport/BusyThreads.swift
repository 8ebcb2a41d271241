import Foundation
import Synchronization

/// Threads that spin without doing any work, one more than there are processors, to compete with a test for these.
package final class BusyThreads: Sendable {
  private let isOver = Atomic(false)

  package init() {
    for _ in 0...ProcessInfo.processInfo.activeProcessorCount {
      Thread.detachNewThread { [self] in while !isOver.load(ordering: .relaxed) {} }
    }
  }

  package func stop() { isOver.store(true, ordering: .relaxed) }
}
