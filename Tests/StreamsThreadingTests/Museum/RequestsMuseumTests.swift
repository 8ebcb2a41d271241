import Streams
import Testing

/// Bugs of other reactive libraries: requests of several threads.
@Suite(.ownThread) struct RequestsMuseumTests {
  /// reactor/reactor-core#2884
  @Test func `a source forgot requests that two threads made at the same time`() {
    let witness = Witness<Int, Never>(.none)
    (0..<20_000).publisher.subscribe(witness)
    onThreads(2) { _ in
      for _ in 0..<10_000 { witness.subscription?.request(.max(1)) }
    }
    #expect(witness.received == Array(0..<20_000))
    #expect(witness.wait())
    #expect(!witness.hasOverlapped)
  }
}
