import StreamAlgorithms
import Streams
import SuiteSupport
import Testing

/// Publishers that send more than has been requested, to an operator that waits for room.
struct UnrequestedValuesTests {
  @Test func `values that were not requested are kept`() {
    let source = ManualSource<Int, Never>()
    let other = ManualSource<Int, Never>()
    let recorder = record(source.merge(with: other, bounded: 1, whenFull: .wait), .none)
    for value in 1...3 { source.send(value) }
    #expect(recorder.log == [])
    recorder.request(.unlimited)
    #expect(recorder.values == [1, 2, 3])
    recorder.cancel()
  }
}
