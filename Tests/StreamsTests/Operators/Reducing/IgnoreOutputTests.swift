import Streams
import Testing

struct IgnoreOutputTests {
  @Test func `forwards only the completion`() {
    let publisher: Publishers.IgnoreOutput<Publishers.Sequence<[Int], Never>> = [1, 2].publisher.ignoreOutput()
    #expect(log(publisher) == ["finished"])
    #expect(log(Empty<Int, Never>().ignoreOutput()) == ["finished"])
    #expect(log(Fail<Int, TestError>(error: .first).ignoreOutput()) == ["first"])
  }

  @Test func `requests unlimited demand at once, regardless of downstream demand`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.ignoreOutput(), .none)
    #expect(source.requests == [.unlimited])
    recorder.request(.max(1))
    #expect(source.requests == [.unlimited])
    #expect(source.send(1) == .none)
  }

  @Test func `completes without demand`() {
    #expect(record(AnySequence([1, 2]).publisher.ignoreOutput(), .none).log == ["finished"])
    #expect(record(Just(1).map { $0 }.ignoreOutput(), .none).log == ["finished"])
  }

  @Test func `requests nothing when it is cancelled in receive(subscription:)`() {
    let source = ManualSource<Int, Never>()
    let recorder = SignalRecorder<Never, Never>(.none)
    recorder.onSubscription = { $0.cancel() }
    source.ignoreOutput().subscribe(recorder)
    #expect(source.requests == [])
    #expect(source.cancelCount == 1)
  }

  @Test func `forwards cancellation`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.ignoreOutput())
    recorder.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `publishers with equal upstreams are equal`() {
    #expect([1].publisher.ignoreOutput() == [1].publisher.ignoreOutput())
  }
}
