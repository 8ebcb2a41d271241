import Foundation

/// A thread-safe journal of lines, in the order in which tasks write them.
final class Journal: @unchecked Sendable {
  // Unchecked: the lock protects the lines.
  private let lock = NSLock()
  private var lines: [String] = []

  var all: [String] { lock.withLock { lines } }

  func note(_ line: String) { lock.withLock { lines.append(line) } }
}

/// A counter of objects that exist at the same time, and of their maximum.
final class Gauge: @unchecked Sendable {
  // Unchecked: the lock protects the counts.
  private let lock = NSLock()
  private var count = 0
  private var highest = 0

  var most: Int { lock.withLock { highest } }

  func enter() {
    lock.withLock {
      count += 1
      highest = max(highest, count)
    }
  }

  func leave() { lock.withLock { count -= 1 } }
}
