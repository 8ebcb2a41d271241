public import StreamSchedulers
internal import Streams

/// The state that all recordings of a test scheduler share.
final class SchedulerRecordings<Time: SchedulerTimeIntervalConvertible>: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it: locks protect all fields.
  let looseEnds = LooseEnds()
  let frame = Locked(Time.milliseconds(1))
  let hotEventsComeFirst = Locked(true)
}

extension TestScheduler {
  private typealias Recordings = SchedulerRecordings<SchedulerTimeType.Stride>

  private var recordings: Recordings { attachments.object(Recordings.self) { Recordings() } }

  var looseEnds: LooseEnds { recordings.looseEnds }
}

extension TestScheduler {
  /// Indicates whether a hot publisher's events come before timers that are due at the same instant. The default is
  /// `true`.
  ///
  /// A hot publisher's events are scheduled when you create it, so they come before timers that are scheduled later. In an app, a
  /// timer can go off just before the user does something. To test that order, set the property to `false`: an event then comes
  /// after the timers that have been scheduled for the same instant.
  ///
  /// ```swift
  /// scheduler.hotEventsComeFirst = false
  /// let letters = scheduler.hot("a-b")
  /// scheduler.expect(letters.debounce(for: .milliseconds(2), scheduler: scheduler), "--a-b")
  /// ```
  ///
  /// `checkTimelines` tries both orders. If your property holds in only one order, set the order in your closure.
  public var hotEventsComeFirst: Bool {
    get { recordings.hotEventsComeFirst.withLock { $0 } }
    set { recordings.hotEventsComeFirst.withLock { $0 = newValue } }
  }

  /// The duration of one frame of a marble diagram. The default is a millisecond.
  ///
  /// ```swift
  /// scheduler.frame = .milliseconds(100)
  /// scheduler.expect(letters.debounce(for: .milliseconds(200), scheduler: scheduler), "--a--b|")
  /// ```
  ///
  /// A duration of zero or less is reported at the line that created the scheduler, and doesn't have any effect.
  /// `DispatchQueue.test` doesn't know that line, but `DispatchQueue.test(order:)` does.
  public var frame: SchedulerTimeType.Stride {
    get { recordings.frame.withLock { $0 } }
    set {
      guard newValue > .zero else {
        return reportIssue(
          "A frame must be longer than zero: \(DurationText.described(newValue.nanoseconds)) has no effect. The frame stays "
            + "\(DurationText.described(frame.nanoseconds)).",
          fileID: fileID, filePath: filePath, line: line, column: column)
      }
      recordings.frame.withLock { $0 = newValue }
    }
  }
}
