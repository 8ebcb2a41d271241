import NIOCore
import StreamTesting
import Streams
import StreamsNIO
import TestSupport
import Testing

@Suite struct ByteLinesTests {
  private func parts(_ texts: [String]) -> some Publisher<ByteBuffer, Never> {
    texts.publisher.map { ByteBuffer(string: $0) }
  }

  private func lines(_ texts: [String]) -> [String] { parts(texts).lines().record().values }

  @Test func `lines end with either line break, wherever the parts end`() {
    #expect(lines(["a\nb\r\nc"]) == ["a", "b", "c"])
    #expect(lines(["a", "b\r", "\nc", "", "\n\n", "\r\nd\r"]) == ["ab", "c", "", "", "d"])
    #expect(lines([]) == [])
    #expect(lines(["\n"]) == [""])
    let text = "é€😀\r\nzwei\n"
    let bytes = text.utf8.map { ByteBuffer(bytes: [$0]) }
    #expect(bytes.publisher.lines().record().values == ["é€😀", "zwei"])
  }

  @Test func `a line that is too long fails the stream after the lines before it`() {
    for texts in [["ab\n", "abc\r\n", "ab", "cde"], ["ab\nabc\r\nabcd\n"]] {
      let recorder = parts(texts).lines(maximumLength: 3).record()
      #expect(recorder.values == ["ab", "abc"])
      guard case .failure(let error)? = recorder.completion else {
        Issue.record("\(String(describing: recorder.completion))")
        continue
      }
      #expect((error as? LineTooLong)?.maximumLength == 3)
    }
  }

  @Test func `a part is requested when the lines before it have been delivered`() {
    let taken = Counter()
    let recorder = parts(["a\nb\n", "c\n", "d\n"]).handleEvents(receiveOutput: { _ in taken.increment() }).lines()
      .record(demand: .max(1))
    #expect(recorder.values == ["a"] && taken.value == 1)
    recorder.request(.max(1))
    #expect(recorder.values == ["a", "b"] && taken.value <= 2)
    recorder.request(.max(1))
    #expect(recorder.values == ["a", "b", "c"] && taken.value <= 3)
    recorder.cancel()
  }
}
