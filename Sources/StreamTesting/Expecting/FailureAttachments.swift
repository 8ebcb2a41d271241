internal import Foundation
internal import StreamSchedulers
internal import Streams

#if canImport(Testing)
  internal import Testing
#endif

/// A failure's attachments: the timelines as a picture, the text without omissions, and the stream's tree if the stream
/// is alive.
///
/// With Swift Testing, `swift test --attachments-path` writes them to a folder and Xcode shows them. Elsewhere, they become
/// temporary files, and the message says where.
struct FailureAttachments {
  private(set) var files: [(name: String, content: String)]

  /// Creates the attachments of a failed comparison.
  ///
  /// - Parameters:
  ///   - mismatch: The difference.
  ///   - explanation: The explanation of the stream, if the stream is alive.
  ///   - lacksValues: Indicates whether fewer events have arrived than expected. If so, there's a cause to report.
  init(_ mismatch: Mismatch, _ explanation: StreamExplanation?, lacksValues: Bool) {
    self.init(mismatch.picturedTimelines, mismatch.fullText)
    if let explanation { files.append(("stream.txt", explanation.text(lacksValues: lacksValues))) }
  }

  /// Creates the attachments of a failure from its timelines, for the picture, and from its text.
  init(_ timelines: FailureTimelines, _ text: String) {
    let picture = timelines.svg.map { ("timelines.svg", $0) }
    self.init([picture].compactMap(\.self) + [("timelines.txt", text + "\n")])
  }

  init(_ files: [(name: String, content: String)]) { self.files = files }

  /// Attaches the files to the running test, and returns lines for the message.
  ///
  /// A captured issue doesn't fail the test, so nothing is attached.
  func attach(at location: CodeLocation) -> [String] {
    if IssueReporter.isCapturing { return [] }
    guard RunningLibrary.isSwiftTesting else { return write(for: location) }
    #if canImport(Testing)
      for file in files { record(file.content, named: file.name, at: location) }
    #endif
    return []
  }

  #if canImport(Testing)
    private func record(_ content: String, named name: String, at location: CodeLocation) {
      let location = SourceLocation(
        fileID: "\(location.fileID)", filePath: "\(location.filePath)", line: max(1, Int(location.line)),
        column: max(1, Int(location.column)))
      Attachment.record(content, named: name, sourceLocation: location)
    }
  #endif

  /// Writes the files, and returns lines that say where.
  func write(for location: CodeLocation) -> [String] {
    let name = location.description.map { $0.isLetter || $0.isNumber ? $0 : "-" }
    let folder = Self.folder.appendingPathComponent(String(name))
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      // A file that an earlier failure has left at the same location doesn't belong to this failure.
      let stream = folder.appendingPathComponent("stream.txt")
      if FileManager.default.fileExists(atPath: stream.path) { try FileManager.default.removeItem(at: stream) }
      for file in files {
        try Data(file.content.utf8).write(to: folder.appendingPathComponent(file.name))
      }
    } catch {
      return ["", "The picture could not be written to \(folder.path): \(error)"]
    }
    return ["", "As a picture and as text: \(folder.path)"]
  }

  private static let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stream-failures")
}
