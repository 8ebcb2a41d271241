import Foundation
import ToolsSupport

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
    let start = Date()
    let (ending, output) = try Command(program: "bash", arguments: ["-c", command]).run()
    let lines = output.components(separatedBy: "\n")
    guard !ending.isSuccess else {
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
