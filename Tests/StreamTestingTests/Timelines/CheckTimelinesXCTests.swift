import Dispatch
import StreamTesting
import XCTest

final class CheckTimelinesXCTests: XCTestCase {
  func testChecksInXCTest() {
    checkTimelines(of: .letters, runs: 20) { scheduler, letters in
      scheduler.expect(letters.map(\.self), behavesLike: letters)
    }
  }

  func testTasksOfARunAreInVirtualTime() {
    checkTimelines(of: .letters, runs: 20) { scheduler, _ in
      let log = Log<String>()
      Task { @MainActor in
        try? await scheduler.clock.sleep(for: .seconds(100))
        log.append("slept")
      }
      scheduler.run()
      XCTAssertEqual(log.all, ["slept"])
    }
  }

  func testFailureNamesTheFilesWithThePictureAndTheTestToPaste() throws {
    let message = try XCTUnwrap(Self.failure { _ in throw TestError.first })
    XCTAssertTrue(message.contains("func testRepeats_run"))
    XCTAssertFalse(message.contains("@Test"))
  }

  func testAsynchronousClosure() async {
    await checkTimelines(of: .cold(.letters.ending(.always)), runs: 20) { _, letters in
      var count = 0
      for await _ in letters.values { count += 1 }
      XCTAssertEqual(count, letters.events.count - 1)
    }
  }

  private static func failure(_ body: ([String]) throws -> Void) -> String? {
    let (_, issues) = IssueReporter.withCapture {
      checkTimelines(of: .letters) { _, letters in try body(letters.events.map { "\($0)" }) }
    }
    return issues.first?.message
  }
}
