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

/// Prints a line immediately, also to a file.
public func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
