import Streams
import Testing

struct IgnoreOutputTests {
  @Test func `passes on only how the stream ends`() {
    let publisher: Publishers.IgnoreOutput<Publishers.Sequence<[Int], Never>> = [1, 2].publisher.ignoreOutput()
    #expect(log(publisher) == ["finished"])
    #expect(log(Empty<Int, Never>().ignoreOutput()) == ["finished"])
    #expect(log(Fail<Int, TestError>(error: .first).ignoreOutput()) == ["first"])
  }

  @Test func `asks for everything at once, since nothing of it needs demand`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.ignoreOutput(), .none)
    #expect(source.requests == [.unlimited])
    recorder.request(.max(1))
    #expect(source.requests == [.unlimited])
    #expect(source.send(1) == .none)
  }

  @Test func `ends without being asked for anything`() {
    #expect(record(AnySequence([1, 2]).publisher.ignoreOutput(), .none).log == ["finished"])
    #expect(record(Just(1).map { $0 }.ignoreOutput(), .none).log == ["finished"])
  }

  @Test func `asks for nothing when it is cancelled from inside the subscription`() {
    let source = ManualSource<Int, Never>()
    let recorder = Recorder<Never, Never>(.none)
    recorder.onSubscription = { $0.cancel() }
    source.ignoreOutput().subscribe(recorder)
    #expect(source.requests == [])
    #expect(source.cancelCount == 1)
  }

  @Test func `does not take a request for nothing`() async {
    await #expect(processExitsWith: .failure) {
      record(PassthroughSubject<Int, Never>().ignoreOutput(), .none).request(.none)
    }
  }

  @Test func `cancellation passes through`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.ignoreOutput())
    recorder.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `publishers are equal when upstream is`() {
    #expect([1].publisher.ignoreOutput() == [1].publisher.ignoreOutput())
  }
}
