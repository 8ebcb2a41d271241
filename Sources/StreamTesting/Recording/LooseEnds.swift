public import StreamSchedulers
internal import Streams

/// Something that a test must not leave behind.
protocol LooseEnd: AnyObject {
  /// What is left of it, each in a sentence without the period.
  var remains: [String] { get }
}

/// What the recorders and publishers of one test scheduler have left behind.
///
/// It does not keep them. What goes before the test ends says itself what it leaves.
final class LooseEnds: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the list and the texts.
  private struct Entry {
    weak var end: (any LooseEnd)?
  }

  private let state = Locked<(entries: [Entry], departed: [String])>(([], []))
  private let badSource = Locked(false)

  /// Whether the diagram of a publisher was bad, on which any stream may depend.
  var hasBadSource: Bool { badSource.withLock { $0 } }

  func noteBadSource() { badSource.withLock { $0 = true } }

  func add(_ end: any LooseEnd) {
    state.withLock { $0.entries.append(Entry(end: end)) }
  }

  func leave(_ remains: [String]) {
    if !remains.isEmpty { state.withLock { $0.departed += remains } }
  }

  /// What is left of everything; what has gone is told once.
  func collect() -> [String] {
    let (ends, departed) = state.withLock { state in
      state.entries.removeAll { $0.end == nil }
      defer { state.departed = [] }
      return (state.entries.map(\.end), state.departed)
    }
    return ends.flatMap { $0?.remains ?? [] } + departed
  }
}

extension TestScheduler {
  /// Ends a test: reports everything that is left behind.
  ///
  /// That is work that still waits for its date, streams that are still recorded, subscriptions to hot and cold publishers
  /// that nobody has ended, and events that were recorded and never looked at. Cancel what is to be cancelled before:
  ///
  /// ```swift
  /// recorder.cancel()
  /// scheduler.assertNothingLeft()
  /// ```
  ///
  /// Call it last, for example in the `tearDown` of a test case.
  public func assertNothingLeft(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    assertIdle(fileID: fileID, filePath: filePath, line: line, column: column)
    let remains = looseEnds.collect()
    guard !remains.isEmpty else { return }
    let list = remains.map { "\n- \($0)" }.joined()
    reportIssue(
      "The test leaves something behind, at \(DurationText.described(elapsed.nanoseconds)):\(list)",
      fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
