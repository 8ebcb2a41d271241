import Foundation

/// What tasks write down, in the order in which they do.
final class Journal: @unchecked Sendable {
  // Unchecked: the lock protects the lines.
  private let lock = NSLock()
  private var lines: [String] = []

  var all: [String] { lock.withLock { lines } }

  func note(_ line: String) { lock.withLock { lines.append(line) } }
}

/// How many of something there are at once, and how many there were at most.
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
