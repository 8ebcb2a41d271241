import SuiteSupport
import Testing

/// Contexts that are captured by some threads and bound by others.
@Suite(.exits) struct ContextRaces {
  @Test func `no value is received under the context of another`() async {
    await #expect(processExitsWith: .success) {
      let (received, foreign) = await ContextStorm.run(count: 20_000)
      #expect(received > 0)
      #expect(foreign == [:], "\(foreign) of \(received) values")
    }
  }
}
