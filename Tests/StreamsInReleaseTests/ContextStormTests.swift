import Foundation
import SuiteSupport
import Testing

/// Threads that send under contexts of their own. `STREAMS_STORM` is the number of values.
@Suite(.exits, .optimized) struct ContextStormTests {
  @Test func `no value is received under the context of another`() async {
    await #expect(processExitsWith: .success) {
      let count = ProcessInfo.processInfo.environment["STREAMS_STORM"].flatMap(Int.init) ?? 400_000
      let (received, foreign) = await ContextStorm.run(count: count)
      #expect(received > 0)
      #expect(foreign == [:], "\(foreign) of \(received) values")
    }
  }
}
