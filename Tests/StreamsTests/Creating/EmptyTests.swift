import Streams
import Testing

struct EmptyTests {
  @Test func `finishes at once, without being asked`() {
    #expect(record(Empty<Int, Never>(), .none).log == ["finished"])
  }

  @Test func `finishes never when told so`() {
    let recorder = record(Empty<Int, Never>(completeImmediately: false))
    #expect(recorder.log == [])
    #expect(recorder.subscriptions.count == 1)
  }

  @Test func `hands over its subscription first`() {
    #expect(record(Empty<Int, Never>()).subscriptions.count == 1)
  }

  @Test func `equals one that finishes like it`() {
    #expect(Empty<Int, Never>() == Empty(completeImmediately: true))
    #expect(Empty<Int, Never>() != Empty(completeImmediately: false))
  }

  @Test func `is made of kinds that are written down`() {
    let empty = Empty(completeImmediately: false, outputType: Int.self, failureType: TestError.self)
    #expect(empty.completeImmediately == false)
  }
}
