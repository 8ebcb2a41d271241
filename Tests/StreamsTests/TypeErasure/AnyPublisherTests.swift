import Streams
import Testing

struct AnyPublisherTests {
  @Test func `forwards all signals`() {
    let source = ManualSource<Int, TestError>()
    let recorder = SignalRecorder<Int, TestError>(.max(1))
    recorder.onValue = { _ in .max(2) }
    source.eraseToAnyPublisher().subscribe(recorder)
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(2))
    source.fail(.first)
    #expect(recorder.log == ["1", "first"])

    record(source.eraseToAnyPublisher()).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `erasing an AnyPublisher does not nest`() {
    var publisher = Just(1).eraseToAnyPublisher()
    for _ in 0..<1_000_000 { publisher = publisher.eraseToAnyPublisher() }
    #expect(log(publisher) == ["1", "finished"])
  }

  @Test func `describes itself`() {
    #expect("\(Just(1).eraseToAnyPublisher())" == "AnyPublisher")
    #expect("\(AnyPublisher(Just(1)))" == "AnyPublisher")
  }

  @Test func `has its description as its playground description`() {
    #expect(AnyPublisher(Just(1)).playgroundDescription as? String == "AnyPublisher")
  }
}
