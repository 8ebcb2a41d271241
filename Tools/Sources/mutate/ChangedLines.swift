import Foundation
import ToolsSupport

/// The lines of source files that differ from those of a commit, in the work tree.
struct ChangedLines {
  private var lines: [String: [ClosedRange<Int>]] = [:]

  init(in package: URL, since commit: String) throws {
    let difference = try Command(
      program: "git",
      arguments: ["diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-prefix", commit, "--", "*.swift"],
      folder: package
    ).run()
    guard difference.ending.isSuccess else { throw Failure("git knows no \(commit): \(difference.output)") }
    self.init(difference.output)
  }

  /// Reads a difference as git prints it without lines of context.
  init(_ difference: String) {
    var file = ""
    for line in difference.split(separator: "\n") {
      if line.hasPrefix("+++ ") { file = String(line.dropFirst(4)) }
      guard let match = line.prefixMatch(of: #/@@ -\S+ \+(\d+)(?:,(\d+))? @@/#), let start = Int(match.1) else {
        continue
      }
      // Where lines are only removed, the ones around them may mean something else now.
      let count = match.2.flatMap { Int($0) } ?? 1
      lines[file, default: []].append(count == 0 ? start...(start + 1) : start...(start + count - 1))
    }
  }

  func contains(_ range: ClosedRange<Int>, of file: String) -> Bool {
    lines[file]?.contains { $0.overlaps(range) } ?? false
  }
}
