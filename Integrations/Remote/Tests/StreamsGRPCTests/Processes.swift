import Foundation
import Testing

/// Starts a program of this package. It's beside the bundle of tests.
func start(_ program: String, _ arguments: [String], output: Pipe? = nil) throws -> Process {
  let bundle = try #require(ProcessInfo.processInfo.arguments.first { $0.hasSuffix(".xctest") })
  let process = Process()
  process.executableURL = URL(filePath: bundle).deletingLastPathComponent().appending(path: program)
  process.arguments = arguments
  if let output { process.standardOutput = output }
  try process.run()
  return process
}

/// The value of an environment variable that sets the size of a test.
func setting(_ variable: String) -> Int? { ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } }
