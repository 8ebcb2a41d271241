internal import StreamSchedulers
internal import Streams

/// The streams that are recorded with a scheduler in one run of a check, for the picture of a failure.
final class RunTranscript: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it: the lock protects the list. The recordings have locks
  // of their own.
  private struct Recording {
    let name: String
    let row: (String) -> TimelineText.Row
  }

  private let recordings = Locked<[Recording]>([])

  /// The options for a recording's row in the picture.
  struct Row {
    /// The name. By default, it's the line that created the recording.
    var name: String?

    /// Indicates whether to omit a cancellation at the end, because it comes from the test.
    var hidesCancellation = false
  }

  /// Adds a recording, without retaining its recorder.
  func add<Output, Failure, Time>(
    _ state: RecorderState<Output, Failure, Time>, as row: Row, recordedAt location: CodeLocation
  ) {
    let recording = Recording(name: row.name ?? "line \(location.line)") { name in
      var history = state.history
      if row.hidesCancellation, case .cancellation? = history.last?.event { history.removeLast() }
      let start = history.first?.time.nanoseconds ?? 0
      return TimelineText.Row(name, "receives", history, from: start)
    }
    recordings.withLock { $0.append(recording) }
  }

  var rows: [TimelineText.Row] { recordings.withLock { $0 }.map { $0.row($0.name) } }
}
