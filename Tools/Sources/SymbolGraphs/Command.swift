import Foundation

/// A reason to stop, which the user reads.
public struct Failure: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// Fails with a list of mistakes if there are any.
public func report(_ mistakes: [String]) throws {
  guard !mistakes.isEmpty else { return }
  throw Failure("\(mistakes.count) found\n" + mistakes.map { "error: \($0)" }.joined(separator: "\n"))
}

/// Runs a command, and returns what it prints and whether it succeeds.
public func run(_ command: [String]) throws -> (output: String, hasSucceeded: Bool) {
  let process = Process()
  let pipe = Pipe()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = command
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return (output, process.terminationStatus == 0)
}
