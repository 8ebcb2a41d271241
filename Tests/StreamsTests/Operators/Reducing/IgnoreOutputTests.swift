import Streams
import Testing

struct IgnoreOutputTests {
  @Test func `passes on only how the stream ends`() {
    let publisher: Publishers.IgnoreOutput<Publishers.Sequence<[Int], Never>> = [1, 2].publisher.ignoreOutput()
    #expect(log(publisher) == ["finished"])
    #expect(log(Empty<Int, Never>().ignoreOutput()) == ["finished"])
    #expect(log(Fail<Int, TestError>(error: .first).ignoreOutput()) == ["first"])
  }

  @Test func `a value gives its demand back`() {
    let source = ManualSource<Int, Never>()
    record(source.ignoreOutput(), .max(1))
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(1))
  }

  @Test func `asks for nothing that is not asked for`() {
    let source = ManualSource<Int, Never>()
    record(source.ignoreOutput(), .none)
    #expect(source.requests == [])
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
