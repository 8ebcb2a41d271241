internal import StreamInspection
public import StreamSchedulers
internal import Streams

/// An object that must not leave anything behind after a test.
protocol LooseEnd: AnyObject {
  /// Returns the remains of the object, each as a sentence without the period.
  ///
  /// - Parameter withTrees: Indicates whether to read streams and to add their trees, after a colon.
  func remains(withTrees: Bool) -> [String]

  /// The subjects of active subscriptions, for finding streams that aren't recorded.
  var activeSubjects: [AnyObject] { get }
}

extension LooseEnd {
  var activeSubjects: [AnyObject] { [] }
}

/// Everything that a test scheduler's recorders and publishers leave behind.
///
/// It doesn't retain them. One that's released before the test ends leaves a report of its remains.
final class LooseEnds: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it: the lock protects the list and the texts.
  private struct Entry {
    weak var end: (any LooseEnd)?
  }

  private let state = Locked<(entries: [Entry], departed: [String])>(([], []))
  private let badSource = Locked(false)

  /// Indicates whether the diagram of a publisher had a mistake. Any stream may depend on that publisher.
  var hasBadSource: Bool { badSource.withLock { $0 } }

  func noteBadSource() { badSource.withLock { $0 = true } }

  func add(_ end: any LooseEnd) {
    state.withLock { $0.entries.append(Entry(end: end)) }
  }

  func leave(_ remains: [String]) {
    if !remains.isEmpty { state.withLock { $0.departed += remains } }
  }

  /// Returns the remains of all objects. The remains of released objects are returned only once.
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

  /// Describes a stream that isn't recorded, with the place that created the stream if that's known.
  private func remains(of stream: Inspection) -> String {
    var stream = stream
    let place = stream.parts.first?.place.map { " made at \($0)" } ?? ""
    stream.forgetPlaceOfRoot()
    return "the stream\(place) is still alive:"
      + StreamExplanation(inspection: stream).tree(6, indentation: "\n    ").joined()
  }
}

extension TestScheduler {
  /// Reports everything that a test leaves behind.
  ///
  /// The report lists pending work, streams that are still being recorded (with their trees), active subscriptions to
  /// hot and cold publishers, and recorded events that the test hasn't read. If you've called `StreamInspector.start()`
  /// from `StreamInspection`, it also shows other streams that subscribe to a hot or a cold publisher, and where they
  /// were created. Cancel your streams first:
  ///
  /// ```swift
  /// recorder.cancel()
  /// scheduler.assertNothingLeft()
  /// ```
  ///
  /// Call this method last, for example in the `tearDown` of a test case.
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
