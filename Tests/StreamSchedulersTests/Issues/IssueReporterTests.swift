import Foundation
import StreamSchedulers
import Testing

@Suite
struct IssueReporterTests {
  private func report(_ message: String) {
    reportIssue(message, fileID: "Module/File.swift", filePath: "/path/File.swift", line: 3, column: 4)
  }

  @Test func `a capture receives an issue with the caller's source location`() {
    let (result, issues) = withIssueCapture {
      report("wrong")
      return 5
    }
    #expect(result == 5)
    #expect(
      issues == [
        ReportedIssue(
          message: "wrong", fileID: "Module/File.swift", filePath: "/path/File.swift", line: 3, column: 4)
      ])
  }

  @Test func `the innermost of nested captures receives the issue`() {
    let outer = withIssueCapture {
      let inner = withIssueCapture { report("inside") }
      #expect(inner.issues.map(\.message) == ["inside"])
      report("outside")
    }
    #expect(outer.issues.map(\.message) == ["outside"])
  }

  @Test func `a capture rethrows the error of its body`() {
    struct Failure: Error {}
    #expect(throws: Failure.self) { try IssueReporter.withCapture { throw Failure() } }
  }

  @Test func `a capture of asynchronous work receives issues after a suspension`() async {
    let (_, issues) = await IssueReporter.withCapture {
      await Task.yield()
      report("later")
    }
    #expect(issues.map(\.message) == ["later"])
  }

  @Test func `withKnownIssue of Swift Testing matches an issue like any other`() {
    withKnownIssue {
      report("known")
    } matching: { issue in
      issue.comments.map(\.rawValue) == ["known"] && issue.sourceLocation?.line == 3
    }
  }

  @Test func `an invalid source location does not stop Swift Testing`() {
    withKnownIssue {
      reportIssue("odd", fileID: "", filePath: "", line: 0, column: 0)
    }
  }

  @Test func `an issue is formatted as a warning with file and line`() {
    let issue = ReportedIssue(message: "wrong", fileID: "M/F.swift", filePath: "/p/F.swift", line: 3, column: 4)
    #expect("\(issue)" == "/p/F.swift:3: warning: wrong")
  }

  @Test func `it is known whether issues are captured`() {
    #expect(!IssueReporter.isCapturing)
    _ = IssueReporter.withCapture { #expect(IssueReporter.isCapturing) }
    #expect(!IssueReporter.isCapturing)
  }
}
