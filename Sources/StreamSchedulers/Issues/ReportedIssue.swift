/// A mistake in the use of this package, and its location.
///
/// The closure passed to ``IssueReporter/install(_:)`` receives it, and `IssueReporter.withCapture` returns it.
public struct ReportedIssue: Hashable, Sendable, CustomStringConvertible {
  /// The description of the mistake, in a sentence or two.
  public var message: String

  /// The module and the name of the source file, as `#fileID` gives them.
  public var fileID: String

  /// The full path of the source file.
  public var filePath: String

  /// The line in the source file, starting at 1.
  public var line: UInt

  /// The column in the line, starting at 1.
  public var column: UInt

  /// Creates an issue from its parts.
  ///
  /// - Parameters:
  ///   - message: The description of the mistake.
  ///   - fileID: The module and the name of the source file.
  ///   - filePath: The full path of the source file.
  ///   - line: The line in the source file, starting at 1.
  ///   - column: The column in the line, starting at 1.
  public init(message: String, fileID: String, filePath: String, line: UInt, column: UInt) {
    self.message = message
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }

  /// The issue in the format of compiler warnings: path, line and message.
  public var description: String { "\(filePath):\(line): warning: \(message)" }
}

/// An issue that ``withIssueCapture(_:)`` returns.
package typealias CapturedIssue = ReportedIssue
