import Foundation
import StreamInspection
import XCTest

/// No stream that goes on to deliver is accused. Random streams are asked between any two steps, until their first value arrives.
/// `STREAMS_ACCUSATIONS` is their number. Observing changes the messages of all tests of the process, so that these run one after
/// another, before the others.
final class AccusationXCTests: XCTestCase {
  private static let count = ProcessInfo.processInfo.environment["STREAMS_ACCUSATIONS"].flatMap(UInt64.init) ?? 60

  override func tearDown() { StreamInspector.stop() }

  func testNoRandomStreamThatIsNotObservedIsAccused() { checkAll() }

  func testNoRandomStreamThatIsObservedIsAccused() {
    StreamInspector.start()
    checkAll()
  }

  /// As if each stream had been silent for long.
  func testAWrongAccusationIsFound() {
    var thresholds = Inspection.Thresholds()
    thresholds.silence = .zero
    XCTAssertGreaterThan((0..<20).count { !watch($0, thresholds).wrong.isEmpty }, 2)
  }

  private func checkAll() {
    var (inspections, accusations) = (0, 0)
    for seed in 0..<Self.count {
      let watched = watch(seed, Inspection.Thresholds())
      inspections += watched.inspections
      accusations += watched.accusations
      if let first = watched.wrong.first { XCTFail("seed \(seed): \(first)") }
    }
    XCTAssertGreaterThan(inspections, 1_000)
    print("\(inspections) inspections accused a stream \(accusations) times")
  }

  private func watch(_ seed: UInt64, _ thresholds: Inspection.Thresholds) -> WatchedWorld {
    var generator = CaseGenerator(seed: seed)
    let test = generator.makeCase()
    let observation = Observation(test)
    let watched = WatchedWorld(World(test, observation), observation, thresholds)
    observation.run()
    return watched
  }
}
