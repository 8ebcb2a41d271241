internal import StreamSchedulers
internal import Streams

/// The streams that are recorded in one run of a check, for the picture of a failure.
final class RunTranscript: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` does not declare it: the lock protects the list. The recordings have locks
  // of their own.
  private struct Recording {
    let place: SourcePlace
    let line: (String) -> MarbleDiagram.Line
  }

  private let recordings = Locked<[Recording]>([])

  /// Adds a recording; its recorder is not retained, and may be released.
  func add<Output, Failure, Time>(_ state: RecorderState<Output, Failure, Time>, recordedAt place: SourcePlace) {
    let recording = Recording(place: place) { name in
      let history = state.history
      let start = history.first?.time.nanoseconds ?? 0
      return MarbleDiagram.Line(name, "receives", history, from: start, shiftedBy: 0) { ["\($0)"] }
    }
    recordings.withLock { $0.append(recording) }
  }

  /// The recordings, each named after the line that made it.
  var lines: [MarbleDiagram.Line] {
    let all = recordings.withLock { $0 }
    let names = all.map { "line \($0.place.line)" }
    return zip(all, names).map { $0.line($1) }
  }
}
