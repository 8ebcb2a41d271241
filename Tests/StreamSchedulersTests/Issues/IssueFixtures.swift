import Foundation
import StreamSchedulers
import Testing
import XCTest

/// Tests that fail on purpose, in a process of their own; see `TestLibraryReportingTests`.
enum IssueFixture {
  static let environmentVariable = "STREAMS_ISSUE_FIXTURE"
  static let isEnabled = ProcessInfo.processInfo.environment[environmentVariable] != nil
  static let line: UInt = 4321

  static func report(_ message: String) {
    reportIssue(message, fileID: "Fixture/Place.swift", filePath: "/fixture/Place.swift", line: line, column: 7)
  }
}

@Suite(.enabled(if: IssueFixture.isEnabled))
struct SwiftTestingIssueFixture {
  @Test func `reports inside the task of the test`() {
    IssueFixture.report("a mistake in a test")
  }

  @Test func `reports on a thread that knows of no test`() async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        IssueFixture.report("a mistake on another thread")
        continuation.resume()
      }
    }
  }
}

final class XCTestIssueFixture: XCTestCase {
  func testReports() {
    guard IssueFixture.isEnabled else { return }
    IssueFixture.report("a mistake in a test case")
  }
}
