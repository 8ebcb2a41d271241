/// The reason why a recorded stream can't be replayed.
public enum ReplayError: Error, Hashable, CustomStringConvertible {
  /// The file can't be read, for the reason that the system gives.
  case unreadableFile(path: String, reason: String)

  /// The file wasn't written by `recordTimeline`.
  case noRecording(path: String)

  /// The file was written by a newer version of this package, in a format that this version doesn't know.
  case newerVersion(path: String, version: Int)

  /// The line with the given number, counted from 1, isn't as expected.
  case unexpectedLine(path: String, line: Int, reason: String)

  /// The recording doesn't have a subscription with the requested number. `recorded` lists the numbers that it has.
  case noSubscription(path: String, number: Int, recorded: [Int])

  /// A description of the error.
  public var description: String {
    switch self {
    case .unreadableFile(let path, let reason): "The recording \(path) cannot be read: \(reason)"
    case .noRecording(let path):
      "The file \(path) is not a recording: its first line isn't the header that recordTimeline writes."
    case .newerVersion(let path, let version):
      "The recording \(path) uses version \(version) of the format. Update Streams to read it."
    case .unexpectedLine(let path, let line, let reason): "Line \(line) of the recording \(path): \(reason)"
    case .noSubscription(let path, let number, let recorded):
      "The recording \(path) has no subscription \(number); it has "
        + (recorded.isEmpty ? "none." : recorded.map(String.init).joined(separator: ", ") + ".")
    }
  }
}
