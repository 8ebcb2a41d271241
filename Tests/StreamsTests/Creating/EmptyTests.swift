import Streams
import Testing

struct EmptyTests {
  @Test func `finishes at once, without demand`() {
    #expect(record(Empty<Int, Never>(), .none).log == ["finished"])
  }

  @Test func `never finishes when completeImmediately is false`() {
    let recorder = record(Empty<Int, Never>(completeImmediately: false))
    #expect(recorder.log == [])
    #expect(recorder.subscriptions.count == 1)
  }

  @Test func `delivers its subscription before it finishes`() {
    #expect(record(Empty<Int, Never>()).subscriptions.count == 1)
  }

  @Test func `equals another with the same completeImmediately`() {
    #expect(Empty<Int, Never>() == Empty(completeImmediately: true))
    #expect(Empty<Int, Never>() != Empty(completeImmediately: false))
  }

  @Test func `takes its output and failure types as arguments`() {
    let empty = Empty(completeImmediately: false, outputType: Int.self, failureType: TestError.self)
    #expect(empty.completeImmediately == false)
  }
}
