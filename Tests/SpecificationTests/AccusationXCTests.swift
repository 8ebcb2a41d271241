import Foundation
import StreamInspection
import XCTest

/// No stream that goes on to deliver is accused. Random streams are asked between any two steps, until their first value arrives.
/// Observing changes the messages of all tests of the process, so that these run one after another, before the others.
final class AccusationXCTests: XCTestCase {
  private static let count = ProcessInfo.processInfo.environment["STREAMS_CHAINS"].flatMap(UInt64.init) ?? 200

  override func tearDown() { StreamInspector.stop() }

  func testNoRandomStreamThatIsNotObservedIsAccused() { checkAll() }

  func testNoRandomStreamThatIsObservedIsAccused() {
    StreamInspector.start()
    checkAll()
  }

  private func checkAll() {
    var (inspections, accusations) = (0, 0)
    for seed in 0..<Self.count {
      var generator = CaseGenerator(seed: seed)
      let test = generator.makeCase()
      let observation = Observation(test)
      let world = World(test, observation)
      let watched = WatchedWorld(world, observation)
      observation.run()
      inspections += watched.inspections
      accusations += watched.accusations
      if let first = watched.wrong.first { XCTFail("seed \(seed): \(first)") }
    }
    XCTAssertGreaterThan(inspections, 1_000)
    XCTAssertGreaterThan(accusations, 0)
    print("\(inspections) inspections accused a stream \(accusations) times")
  }
}
