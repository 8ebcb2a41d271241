import Foundation
import Synchronization
import Testing

@testable import StreamSchedulers

@Suite(.serialized)
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

  @Test func `an installed reporter gets what is not captured`() {
    let messages = Messages()
    IssueReporter.install { messages.append($0.message) }
    defer { IssueReporter.uninstall() }
    report("to the reporter")
    let (_, issues) = withIssueCapture { report("to the capture") }
    #expect(messages.all.contains("to the reporter"))
    #expect(!messages.all.contains("to the capture"))
    #expect(issues.map(\.message) == ["to the capture"])
  }

  @Test func `an issue that a reporter causes does not come back to it`() {
    let messages = Messages()
    withKnownIssue {
      IssueReporter.install {
        messages.append($0.message)
        report("of the reporter")
      }
      defer { IssueReporter.uninstall() }
      report("first")
    }
    #expect(messages.all.contains("first"))
    #expect(!messages.all.contains("of the reporter"))
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

  @Test func `an issue is written with file and line as a warning`() throws {
    let pipe = Pipe()
    let issue = ReportedIssue(message: "wrong", fileID: "M/F.swift", filePath: "/p/F.swift", line: 3, column: 4)
    StandardError.write("\(issue)\n", to: pipe.fileHandleForWriting.fileDescriptor)
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text == "/p/F.swift:3: warning: wrong\n")
  }
}

private final class Messages: Sendable {
  private let messages = Mutex<[String]>([])
  var all: [String] { messages.withLock { $0 } }
  func append(_ message: String) { messages.withLock { $0.append(message) } }
}
