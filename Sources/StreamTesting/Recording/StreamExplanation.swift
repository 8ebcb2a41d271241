internal import StreamInspection
package import StreamSchedulers
internal import Streams

/// The parts of a live stream, and the reason why nothing arrives, for a failure message.
///
/// Creating an explanation reads the stream, so it's done only when a failure is reported, and outside of all locks.
struct StreamExplanation {
  let inspection: Inspection

  /// The maximum number of lines of a tree in a message.
  static let longestTree = 12

  var cause: String { "Why nothing arrives: \(inspection.diagnosis)" }

  /// Returns the first lines of the stream's tree, followed by `…` if there are more.
  func tree(_ limit: Int = longestTree, indentation: String = "  ") -> [String] {
    let lines = inspection.description.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.prefix(limit).map { indentation + $0 } + (lines.count > limit ? ["\(indentation)…"] : [])
  }

  /// Returns the end of a message: an empty line, the cause and the tree.
  func lines(_ limit: Int = longestTree) -> [String] { ["", cause] + tree(limit) }

  /// Returns the whole tree, and the cause if values are missing.
  func text(lacksValues: Bool) -> String {
    "\(inspection)\n" + (lacksValues ? "\n\(cause)\n" : "")
  }
}

/// A recording that can explain its stream.
protocol ReadableRecording: AnyObject {
  /// An explanation of the stream, if it's alive. Each access reads the stream.
  var explanation: StreamExplanation? { get }

  var location: CodeLocation { get }
}

extension Deadlock: AwaitedStreamDescribing {
  /// Describes the streams that tasks wait for.
  ///
  /// - Parameter parts: The recordings and iterators that the tasks wait for.
  /// - Returns: A text with the reason why nothing arrives and the tree, for each of the first three streams. It begins with a
  ///   line break.
  package static func describe(_ parts: [AnyObject]) -> String {
    var lines: [String] = []
    for part in parts.prefix(3) {
      let recording = part as? any ReadableRecording
      let stream = recording.map { "the stream recorded at \($0.location.description)" } ?? "the next value of a stream"
      let explanation =
        recording.map(\.explanation)
        ?? StreamExplanation(inspection: Inspection(part: part, thresholds: .forMissingValue))
      lines += ["", "A task waits for \(stream)."] + (explanation.map { [$0.cause] + $0.tree() } ?? [])
    }
    if parts.count > 3 { lines += ["", "Tasks wait for \(parts.count - 3) more streams."] }
    return lines.map { "\n\($0)" }.joined()
  }
}
