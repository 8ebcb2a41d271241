/// A mistake in the use of this package, and where it was made.
///
/// It is what a reporter gets that was installed with ``IssueReporter/install(_:)``, and what
/// `IssueReporter.withCapture` returns.
public struct ReportedIssue: Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, in a sentence or two.
  public var message: String

  /// The module and the name of the source file, as `#fileID` writes them.
  public var fileID: String

  /// The full path of the source file.
  public var filePath: String

  /// The line of the source file, counted from one.
  public var line: UInt

  /// The column of the line, counted from one.
  public var column: UInt

  /// Makes an issue from its parts.
  public init(message: String, fileID: String, filePath: String, line: UInt, column: UInt) {
    self.message = message
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }

  /// The issue as compilers write theirs: path, line, and the message as a warning.
  public var description: String { "\(filePath):\(line): warning: \(message)" }
}

/// What ``withIssueCapture(_:)`` returns.
package typealias CapturedIssue = ReportedIssue
