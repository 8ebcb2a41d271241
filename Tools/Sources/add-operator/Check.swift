import Foundation

/// A command that must succeed.
struct Check {
  let title: String
  let command: String
  /// How the line of its output begins or goes on that sums it up.
  let summary: String

  init(_ title: String, _ command: String, summary: String = "Test run with") {
    self.title = title
    self.command = command
    self.summary = summary
  }

  /// Runs the command, and prints the lines about its failure if it fails.
  func run() throws {
    say("\n\(title): \(command)")
    let log = FileManager.default.temporaryDirectory.appendingPathComponent("operator-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: log) }
    let output = try FileHandle(forWritingTo: log)
    let start = Date()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["bash", "-c", command]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    let lines = String(decoding: try Data(contentsOf: log), as: UTF8.self).components(separatedBy: "\n")
    guard process.terminationStatus != 0 else {
      let summary = lines.last { $0.contains(self.summary) }
      return say("passed after \(Int(-start.timeIntervalSinceNow)) s\(summary.map { ": \($0)" } ?? "")")
    }
    let failures = lines.filter {
      $0.contains("error:") || $0.contains("✘") || $0.contains("↳") || $0.contains("Fatal")
    }
    (failures.isEmpty ? lines.filter { !$0.isEmpty }.suffix(20) : failures.prefix(40)).forEach { say("  \($0)") }
    throw Failure("\(title) fails. The command above shows all that it prints.")
  }
}

/// Prints a line immediately, also to a file.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
