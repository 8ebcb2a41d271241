internal import StreamInspection
public import StreamSchedulers
internal import Streams

/// An object of which a test must leave nothing behind.
protocol LooseEnd: AnyObject {
  /// Returns the remains of the object, each as a sentence without the period.
  ///
  /// - Parameter withTrees: Indicates whether streams are read and their trees added, after a colon.
  func remains(withTrees: Bool) -> [String]

  /// The subjects behind subscriptions that are still active, by which streams are found that aren't recorded.
  var activeSubjects: [AnyObject] { get }
}

extension LooseEnd {
  var activeSubjects: [AnyObject] { [] }
}

/// The remains of the recorders and publishers of one test scheduler.
///
/// It doesn't retain them. An object that is released before the test ends leaves a report of its remains.
final class LooseEnds: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` does not declare it: the lock protects the list and the texts.
  private struct Entry {
    weak var end: (any LooseEnd)?
  }

  private let state = Locked<(entries: [Entry], departed: [String])>(([], []))
  private let badSource = Locked(false)

  /// Indicates whether the diagram of a publisher, on which any stream may depend, had a mistake.
  var hasBadSource: Bool { badSource.withLock { $0 } }

  func noteBadSource() { badSource.withLock { $0 = true } }

  func add(_ end: any LooseEnd) {
    state.withLock { $0.entries.append(Entry(end: end)) }
  }

  func leave(_ remains: [String]) {
    if !remains.isEmpty { state.withLock { $0.departed += remains } }
  }

  /// Returns the remains of all objects; those of objects that have been released are returned once.
  func collect() -> [String] {
    let (ends, departed) = state.withLock { state in
      state.entries.removeAll { $0.end == nil }
      defer { state.departed = [] }
      return (state.entries.map(\.end), state.departed)
    }
    let subjects = StreamInspector.isOn ? ends.flatMap { $0?.activeSubjects ?? [] } : []
    let observed = StreamInspector.inspections(from: subjects)
    return ends.flatMap { $0?.remains(withTrees: true) ?? [] } + observed.map(remains) + departed
  }

  /// Describes a stream that isn't recorded, with the place that is known of an observed stream.
  private func remains(of stream: Inspection) -> String {
    var stream = stream
    let place = stream.parts.first?.place.map { " made at \($0)" } ?? ""
    stream.forgetPlaceOfRoot()
    return "the stream\(place) is still alive:"
      + StreamExplanation(inspection: stream).tree(6, indentation: "\n    ").joined()
  }
}

extension TestScheduler {
  /// Ends a test: reports everything that it leaves behind.
  ///
  /// The report lists work that is still pending, streams that are still being recorded, subscriptions to hot and cold
  /// publishers that haven't ended, and recorded events that the test hasn't read. It shows the tree of each stream
  /// that is being recorded. If streams are observed, with `StreamInspector.start()` of the module `StreamInspection`,
  /// it also shows those that only subscribe to a hot or a cold publisher, and where they were made. Before the call,
  /// cancel what is to be cancelled:
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
      "The test leaves the following behind at \(DurationText.described(elapsed.nanoseconds)):\(list)",
      fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
