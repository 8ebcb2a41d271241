import Synchronization

/// What tasks write down, in the order in which they do.
final class Journal: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func note(_ line: String) { lines.withLock { $0.append(line) } }
}

/// How many of something there are at once, and how many there were at most.
final class Gauge: Sendable {
  private let counts = Mutex((now: 0, most: 0))

  var now: Int { counts.withLock { $0.now } }
  var most: Int { counts.withLock { $0.most } }

  func enter() {
    counts.withLock {
      $0.now += 1
      $0.most = max($0.most, $0.now)
    }
  }

  func leave() { counts.withLock { $0.now -= 1 } }
}
