import Foundation
import SuiteSupport
import Testing

/// Streams that are stopped under load. `STREAMS_STORM` is the number of values.
@Suite(.optimized) struct StopStormTests {
  @Test func `no acknowledged value is lost`() {
    let count = ProcessInfo.processInfo.environment["STREAMS_STORM"].flatMap(Int.init) ?? 100_000
    // Virtual time, which a stream fills with more values, runs only so many actions.
    let stops = max(100, count / 1_000)
    let (acknowledged, lost) = StopStorm.run(stops: stops, acknowledged: count / stops)
    #expect(acknowledged > count * 9 / 10)
    print("\(acknowledged) values were acknowledged in \(stops) stops, and \(lost) of them lost")
    #expect(lost == 0, "\(lost) of \(acknowledged) values")
  }
}
