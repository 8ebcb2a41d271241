#if os(Linux)
  import Foundation
  import Testing

  @Suite
  struct TestLibraryReportingTests {
    @Test func `in a test of Swift Testing, an issue fails the test at the caller's line`() async throws {
      let run = try await runFixture("--testing-library", "swift-testing", "--filter", "reports inside the task")
      #expect(run.status != 0)
      #expect(run.output.contains("a mistake in a test"))
      #expect(run.output.contains("Place.swift:4321:7"))
    }

    @Test func `on a thread without a current test, an issue fails the run of Swift Testing`() async throws {
      let run = try await runFixture("--testing-library", "swift-testing", "--filter", "reports on a thread")
      #expect(run.status != 0)
      #expect(run.output.contains("a mistake on another thread"))
      #expect(run.output.contains("Place.swift:4321:7"))
    }

    @Test func `in a test case of XCTest, an issue fails the test at the caller's line`() async throws {
      let run = try await runFixture(
        "--testing-library", "xctest", "StreamSchedulersTests.XCTestIssueFixture/testReports")
      #expect(run.status != 0)
      #expect(run.output.contains("a mistake in a test case"))
      #expect(run.output.contains("/fixture/Place.swift:4321"))
    }

    @Test func `the error of a blocking read states the line of the test case`() async throws {
      let run = try await runFixture(
        "--testing-library", "xctest", "StreamSchedulersTests.XCTestIssueFixture/testReadsNothing")
      #expect(run.status != 0)
      let line = XCTestIssueFixture.lineOfRead
      #expect(
        run.output.contains("The stream read at IssueFixtures.swift:\(line) finished without a value"), "\(run.output)")
    }

    @Test func `an installed reporter replaces the test as the receiver of issues`() async throws {
      let run = try await runFixture("--testing-library", "swift-testing", "--filter", "InstalledReporterFixture")
      #expect(run.status == 0, "\(run.output)")
      #expect(run.output.contains("3 tests"), "\(run.output)")
    }

    /// Runs this test executable again with the fixtures enabled.
    private func runFixture(_ arguments: String...) async throws -> (status: Int32, output: String) {
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = arguments
      process.environment = ProcessInfo.processInfo.environment
        .merging([IssueFixture.environmentVariable: "1"]) { _, new in new }
      process.standardOutput = output
      process.standardError = output
      return try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
          do {
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            continuation.resume(returning: (process.terminationStatus, text))
          } catch {
            continuation.resume(throwing: error)
          }
        }
      }
    }
  }
#endif
