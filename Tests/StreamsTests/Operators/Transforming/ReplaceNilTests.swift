import Streams
import Testing

struct ReplaceNilTests {
  @Test func `replaces each nil`() {
    let publisher: Publishers.Map<Publishers.Sequence<[Int?], Never>, Int> =
      [1, nil, 3].publisher.replaceNil(with: 0)
    #expect(log(publisher) == ["1", "0", "3", "finished"])
  }

  @Test func `finishes without a value when upstream is empty`() {
    #expect(log(Empty<Int?, Never>().replaceNil(with: 0)) == ["finished"])
  }

  @Test func `forwards demand, failures and cancellation`() {
    let source = ManualSource<Int?, TestError>()
    let recorder = record(source.replaceNil(with: 0), .max(1))
    #expect(source.requests == [.max(1)])
    #expect(source.send(nil) == .none)

    recorder.cancel()
    #expect(source.cancelCount == 1)
    #expect(log(Fail<Int?, TestError>(error: .first).replaceNil(with: 0)) == ["first"])
  }
}
