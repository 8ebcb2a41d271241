import Foundation
import Testing

@testable import StreamSchedulers

@Suite
struct IssueReporterTests {
  private func report(_ message: String) {
    reportIssue(message, fileID: "Module/File.swift", filePath: "/path/File.swift", line: 3, column: 4)
  }

  @Test func `a capture gets an issue with the caller's place`() {
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

  @Test func `the innermost of nested captures gets the issue`() {
    let outer = withIssueCapture {
      let inner = withIssueCapture { report("inside") }
      #expect(inner.issues.map(\.message) == ["inside"])
      report("outside")
    }
    #expect(outer.issues.map(\.message) == ["outside"])
  }

  @Test func `a capture passes on what its body throws`() {
    struct Failure: Error {}
    #expect(throws: Failure.self) { try IssueReporter.withCapture { throw Failure() } }
  }

  @Test func `a capture of asynchronous work gets issues after a suspension`() async {
    let (_, issues) = await IssueReporter.withCapture {
      await Task.yield()
      report("later")
    }
    #expect(issues.map(\.message) == ["later"])
  }

  @Test func `a known issue of Swift Testing takes an issue like any other`() {
    withKnownIssue {
      report("known")
    } matching: { issue in
      issue.comments.map(\.rawValue) == ["known"] && issue.sourceLocation?.line == 3
    }
  }

  @Test func `a place that Swift Testing would refuse does no harm`() {
    withKnownIssue {
      reportIssue("odd", fileID: "", filePath: "", line: 0, column: 0)
    }
  }

  @Test func `an issue is written with file and line as a warning`() {
    let issue = ReportedIssue(message: "wrong", fileID: "M/F.swift", filePath: "/p/F.swift", line: 3, column: 4)
    #expect("\(issue)" == "/p/F.swift:3: warning: wrong")
  }
}
