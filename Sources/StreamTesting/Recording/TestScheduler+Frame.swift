public import StreamSchedulers
internal import Streams

/// The shared state of the recordings of one test scheduler.
final class SchedulerRecordings<Time: SchedulerTimeIntervalConvertible>: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` does not declare it: both fields are protected by locks.
  let looseEnds = LooseEnds()
  let frame = Locked(Time.milliseconds(1))
}

extension TestScheduler {
  private typealias Recordings = SchedulerRecordings<SchedulerTimeType.Stride>

  private var recordings: Recordings { attachments.object(Recordings.self) { Recordings() } }

  var looseEnds: LooseEnds { recordings.looseEnds }
}

extension TestScheduler {
  /// The duration of one frame of a marble diagram; a millisecond by default.
  ///
  /// ```swift
  /// scheduler.frame = .milliseconds(100)
  /// scheduler.expect(letters.debounce(for: .milliseconds(200), scheduler: scheduler), "--a--b|")
  /// ```
  ///
  /// A duration of zero or less is reported, at the line that made the scheduler, and changes nothing. The scheduler of
  /// `DispatchQueue.test` does not know that line; that of `DispatchQueue.test(order:)` does.
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
