import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing
import XCTest

/// Tests for a process of their own, because they fail on purpose or change process-wide state; see
/// `TestLibraryReportingTests`.
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

  @Test func `reports on a thread without a current test`() async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        IssueFixture.report("a mistake on another thread")
        continuation.resume()
      }
    }
  }
}

@Suite(.enabled(if: IssueFixture.isEnabled), .serialized)
struct InstalledReporterFixture {
  @Test func `an installed reporter receives issues that are not captured`() {
    let messages = Log<String>()
    IssueReporter.install { messages.append($0.message) }
    IssueFixture.report("to the reporter")
    let (_, issues) = withIssueCapture { IssueFixture.report("to the capture") }
    IssueReporter.uninstall()
    withKnownIssue { IssueFixture.report("to the test") }
    #expect(messages.all == ["to the reporter"])
    #expect(issues.map(\.message) == ["to the capture"])
  }

  @Test func `a later reporter replaces an earlier one`() {
    let messages = Log<String>()
    IssueReporter.install { _ in messages.append("earlier") }
    IssueReporter.install { _ in messages.append("later") }
    defer { IssueReporter.uninstall() }
    IssueFixture.report("a mistake")
    #expect(messages.all == ["later"])
  }

  @Test func `an issue that a reporter causes is not delivered to that reporter`() {
    let messages = Log<String>()
    withKnownIssue {
      IssueReporter.install {
        messages.append($0.message)
        IssueFixture.report("of the reporter")
      }
      defer { IssueReporter.uninstall() }
      IssueFixture.report("first")
    }
    #expect(messages.all == ["first"])
  }
}

final class XCTestIssueFixture: XCTestCase {
  func testReports() {
    guard IssueFixture.isEnabled else { return }
    IssueFixture.report("a mistake in a test case")
  }

  static let lineOfRead = #line + 4

  func testReadsNothing() throws {
    guard IssueFixture.isEnabled else { return }
    _ = try Empty<Int, Never>().blocking().single()
  }
}
