// Checks the documentation, and prepares what it is built from.
//
//     documentation check GRAPHS     # fails when something that every public symbol needs is not described
//     documentation trim GRAPHS      # leaves out the parameters that the compiler fills in at each call
//     documentation links ARTICLES   # fails when a link of a Markdown file leads to a missing file or heading
//     documentation index ARCHIVES   # fails when a long list of members is alphabetical instead of divided by purpose
//     documentation landing PAGE     # lists the modules on the site's first page in their order, rather than by name
//     documentation describe SITE    # moves what describes a symbol above its parameters
//     documentation pages [--write]  # fails when a page in `Documentation` differs from its article, or writes it
import Foundation

/// Runs a command, and returns the number of mistakes that it has found and printed, unless it is no command.
func run(_ command: String?, _ arguments: [String]) throws -> Int? {
  if command == "pages" {
    return arguments.isEmpty || arguments == ["--write"] ? try updatePages(isWriting: !arguments.isEmpty) : nil
  }
  let files = arguments.map { URL(fileURLWithPath: $0) }
  guard !files.isEmpty else { return nil }
  switch command {
  case "check": return try files.map(checkSymbols).reduce(0, +)
  case "trim":
    try files.forEach(trim)
    return 0
  case "links": return try files.map(checkLinks).reduce(0, +)
  case "landing":
    try files.forEach(orderModules)
    return 0
  case "describe":
    try files.forEach(describeFirst)
    return 0
  case "index": return try files.map(checkIndex).reduce(0, +)
  default: return nil
  }
}

guard let count = try run(CommandLine.arguments.dropFirst().first, Array(CommandLine.arguments.dropFirst(2))) else {
  print("usage: documentation check|trim|links|index|landing|describe FILES, or documentation pages [--write]")
  exit(64)
}
if count > 0 {
  print("\(count) found")
  exit(1)
}
