import StreamInspection
import Streams
import SuiteSupport
import XCTest

/// All streams are read while streams begin and end. Observing changes the messages of all tests of the process, so that
/// this is one of those that run one after another.
final class ObservedStreamRaceXCTests: XCTestCase {
  func testAllStreamsCanBeReadWhileStreamsBeginAndEnd() {
    StreamInspector.observe()
    defer { StreamInspector.stop() }
    onThreads(3) { number in
      for _ in 0..<300 {
        if number == 0 {
          _ = StreamInspector.roots
        } else {
          let stream = InspectionRaceTests.Stream()
          stream.subject.send(1)
          XCTAssertEqual(stream.received, 1)
        }
      }
    }
  }
}
