import Streams
import SuiteSupport
import Testing

/// The waits that a cancellation ends are collected. Each test runs in a process of its own, in which no other thread collects.
@Suite(.exits) struct CancelledWaitTests {
  private final class Part {}

  @Test func `waits are put off only while the thread collects`() async {
    await #expect(processExitsWith: .success) {
      let part = Part()
      #expect(!CancelledWait.isAnyCollected)
      #expect(!CancelledWait.putsOffEnd(of: part) {})
      var hasEnded = false
      let waits = CancelledWait.collected {
        #expect(CancelledWait.isAnyCollected)
        #expect(CancelledWait.putsOffEnd(of: part) { hasEnded = true })
      }
      #expect(waits.count == 1 && waits[0].part === part)
      #expect(!hasEnded)
      waits[0].end()
      #expect(hasEnded)
      #expect(!CancelledWait.isAnyCollected)
      #expect(!CancelledWait.putsOffEnd(of: part) {})
    }
  }

  @Test func `a collection inside another one leaves the waits of that alone`() async {
    await #expect(processExitsWith: .success) {
      let (one, other, last) = (Part(), Part(), Part())
      let waits = CancelledWait.collected {
        _ = CancelledWait.putsOffEnd(of: one) {}
        let inner = CancelledWait.collected { _ = CancelledWait.putsOffEnd(of: other) {} }
        #expect(inner.map { $0.part === other } == [true])
        #expect(CancelledWait.isAnyCollected)
        _ = CancelledWait.putsOffEnd(of: last) {}
      }
      #expect(waits.map { ObjectIdentifier($0.part) } == [ObjectIdentifier(one), ObjectIdentifier(last)])
    }
  }
}
