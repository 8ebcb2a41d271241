internal import Foundation
internal import Streams

/// A mistake that was reported while issues were captured.
package struct CapturedIssue: Sendable {
  package let message: String
  package let fileID: String
  package let filePath: String
  package let line: UInt
  package let column: UInt
}

private final class Capture: @unchecked Sendable {
  // `Sendable` is unchecked because of `issues`, which its lock protects.
  let issues = Locked<[CapturedIssue]>([])
  @TaskLocal static var current: Capture?
}

/// Reports a mistake at the place where it was made.
@usableFromInline
package func reportIssue(
  _ message: @autoclosure () -> String, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
) {
  let issue = CapturedIssue(
    message: message(), fileID: "\(fileID)", filePath: "\(filePath)", line: line, column: column)
  if let capture = Capture.current {
    capture.issues.withLock { $0.append(issue) }
  } else {
    FileHandle.standardError.write(Data("\(filePath):\(line):\(column): warning: \(issue.message)\n".utf8))
  }
}

/// Collects the issues that work reports on this thread.
package func withIssueCapture<R>(_ body: () throws -> R) rethrows -> (result: R, issues: [CapturedIssue]) {
  let capture = Capture()
  let result = try Capture.$current.withValue(capture, operation: body)
  return (result, capture.issues.withLock { $0 })
}
