public import Foundation

/// A process, and how it ended.
public struct Command {
  public enum Ending: Equatable {
    case exited(Int32)
    case stopped(signal: Int32)
    case tookTooLong

    public var isSuccess: Bool { self == .exited(0) }
  }

  private let program: String
  private let arguments: [String]
  private let environment: [String: String]
  private let folder: URL?

  public init(program: String, arguments: [String], environment: [String: String] = [:], folder: URL? = nil) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.folder = folder
  }

  /// Runs the process, and returns its ending and what it printed.
  ///
  /// - Parameters:
  ///   - seconds: The time after which the process is stopped.
  ///   - mark: A text after which it is stopped, too: nothing that it does after that matters.
  public func run(
    limit seconds: Double = .infinity, until mark: String? = nil
  ) throws -> (ending: Ending, output: String) {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: file) }
    let output = try FileHandle(forWritingTo: file)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    let (end, reader) = (Date(timeIntervalSinceNow: seconds), try FileHandle(forReadingFrom: file))
    var (tail, isMarked, hasTakenTooLong) = ("", false, false)
    while seconds.isFinite, !isMarked, !hasTakenTooLong, ended.wait(timeout: .now() + 0.05) == .timedOut {
      if let mark, let data = try reader.readToEnd(), !data.isEmpty {
        // The mark may come in two pieces.
        let text = tail + String(decoding: data, as: UTF8.self)
        isMarked = text.contains(mark)
        tail = String(text.suffix(mark.utf8.count))
      }
      hasTakenTooLong = Date() > end
      // Also the processes that tests have started, which are in the group that this one leads: they would go on, and
      // Foundation waits for them.
      if isMarked || hasTakenTooLong { kill(-process.processIdentifier, SIGKILL) }
    }
    process.waitUntilExit()
    try output.close()
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    if isMarked { return (.exited(1), text) }
    if hasTakenTooLong { return (.tookTooLong, text) }
    return (
      process.terminationReason == .exit
        ? .exited(process.terminationStatus) : .stopped(signal: process.terminationStatus), text
    )
  }
}
