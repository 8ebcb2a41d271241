import Synchronization

/// A record of what ran at which time, in the order of execution.
final class Trace: Sendable {
  enum Event: Int, CaseIterable, Sendable {
    case started, woken, counted, computed, ended
  }

  /// One line of a trace.
  struct Entry: Equatable, Sendable, CustomStringConvertible {
    /// The virtual time in milliseconds.
    let time: Int
    let task: Int
    let event: Event
    /// The result of the event.
    let value: Int

    var description: String { "\(time) ms: task \(task) \(event) \(value)" }
  }

  private struct State {
    var entries: [Entry] = []
    var counts = [Int](repeating: 0, count: Event.allCases.count)
  }

  private let state = Mutex(State())

  func append(_ entry: Entry) {
    state.withLock {
      $0.entries.append(entry)
      $0.counts[entry.event.rawValue] += 1
    }
  }

  func count(_ event: Event) -> Int { state.withLock { $0.counts[event.rawValue] } }

  var entries: [Entry] { state.withLock { $0.entries } }

  /// A hash of the trace that is equal in all processes for equal traces (FNV-1a).
  var digest: UInt64 {
    entries.reduce(0xcbf2_9ce4_8422_2325) { digest, entry in
      [entry.time, entry.task, entry.event.rawValue, entry.value].reduce(digest) {
        ($0 ^ UInt64(truncatingIfNeeded: $1)) &* 0x100_0000_01b3
      }
    }
  }
}
