internal import Foundation

/// A thread-safe journal of lines, in the order in which tasks write them.
package final class Journal: @unchecked Sendable {
  package init() {}

  // Unchecked: the lock protects the lines.
  private let lock = NSLock()
  private var lines: [String] = []

  package var all: [String] { lock.withLock { lines } }

  package func note(_ line: String) { lock.withLock { lines.append(line) } }
}

/// A counter of objects that exist at the same time, and of their maximum.
package final class Gauge: @unchecked Sendable {
  package init() {}

  // Unchecked: the lock protects the counts.
  private let lock = NSLock()
  private var count = 0
  private var highest = 0

  package var most: Int { lock.withLock { highest } }

  package func enter() {
    lock.withLock {
      count += 1
      highest = max(highest, count)
    }
  }

  package func leave() { lock.withLock { count -= 1 } }
}
