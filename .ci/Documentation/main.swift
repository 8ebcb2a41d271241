// Checks the documentation, and prepares what it is built from.
//
//     documentation check GRAPHS    # fails when something that every public symbol needs is not described
//     documentation trim GRAPHS     # leaves out the parameters that the compiler fills in at each call
//     documentation links ARTICLES  # fails when a link of a Markdown file leads to a file or heading that does not exist
//     documentation index ARCHIVES  # fails when a long list of members is alphabetical instead of divided by purpose
import Foundation

/// Runs a command on its files, and returns the number of mistakes that it has found and printed.
func run(_ command: String?, _ files: [URL]) throws -> Int? {
  guard !files.isEmpty else { return nil }
  switch command {
  case "check": return try files.map(checkSymbols).reduce(0, +)
  case "trim":
    try files.forEach(trim)
    return 0
  case "links": return try files.map(checkLinks).reduce(0, +)
  case "index": return try files.map(checkIndex).reduce(0, +)
  default: return nil
  }
}

let arguments = CommandLine.arguments.dropFirst()
guard let count = try run(arguments.first, arguments.dropFirst().map { URL(fileURLWithPath: $0) }) else {
  print("usage: documentation check|trim|links|index FILES")
  exit(64)
}
if count > 0 {
  print("\(count) found")
  exit(1)
}
