package import Foundation

/// A path for a file that is removed with this object.
package final class RecordingFile: Sendable {
  package let url = FileManager.default.temporaryDirectory.appendingPathComponent("recording-" + UUID().uuidString)

  package init() {}

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The lines of the file, with an empty one after the last line feed.
  package var allLines: [String] {
    get throws { try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n") }
  }

  /// The lines of the events.
  package var lines: [String] { get throws { try Array(allLines.dropFirst().dropLast()) } }

  package func write(_ text: String) throws { try Data(text.utf8).write(to: url) }
}
