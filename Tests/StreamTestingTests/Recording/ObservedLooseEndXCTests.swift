import Dispatch
import StreamInspection
import StreamSchedulers
import StreamTesting
import Streams
import XCTest

/// Streams that a test leaves alive while streams are observed. Observing changes the messages of all tests of the process,
/// so that these run one after another.
final class ObservedLooseEndXCTests: XCTestCase {
  func testObservedStreamsThatAreLeftAliveAreShownWithTheirPlaces() {
    StreamInspector.start()
    defer { StreamInspector.stop() }
    let scheduler = DispatchQueue.test
    let (hot, cold, silent) = (scheduler.hot("-a-b"), scheduler.cold("-a-b"), scheduler.hot("---"))
    let line = #line + 1
    let zip = hot.zip(silent).sink { _ in }
    let debounce = cold.debounce(for: .milliseconds(300), scheduler: scheduler).sink { _ in }
    scheduler.advance(by: .milliseconds(1))
    let text = remains(of: scheduler)
    XCTAssertEqual(text.ranges(of: made(line)).count, 1, text)
    XCTAssert(text.contains("\n    ← zip   left has 1, right has none"), text)
    XCTAssertEqual(text.ranges(of: made(line + 1)).count, 1, text)
    XCTAssert(text.contains("\n    ← debounce   1 value is waiting, due in 300 ms, on the test scheduler"), text)
    zip.cancel()
    debounce.cancel()
    hot.sink { _ in }.cancel()
    XCTAssertFalse(remains(of: scheduler).contains("is still alive"))
  }

  func testStreamsThatAreNotObservedAreNotShown() {
    let scheduler = DispatchQueue.test
    let sink = scheduler.hot("-a-b").sink { _ in }
    XCTAssertFalse(remains(of: scheduler).contains("is still alive"))
    sink.cancel()
  }

  private func made(_ line: Int) -> String {
    "\n- the stream made at ObservedLooseEndXCTests.swift:\(line) is still alive:\n    sink"
  }

  private func remains(of scheduler: TestSchedulerOf<DispatchQueue>) -> String {
    IssueReporter.withCapture { scheduler.assertNothingLeft() }.issues.map(\.message).joined(separator: "\n")
  }
}
