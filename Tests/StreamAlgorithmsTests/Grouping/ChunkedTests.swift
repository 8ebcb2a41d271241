import Streams
import SuiteSupport
import Testing

struct ChunkedTests {
  private let source = ManualSource<Int, TestError>()

  private func runs(_ values: [Int], maxCount: Int = 10) -> [String] {
    log(values.publisher.chunked(maxCount: maxCount) { $1 == $0 + 1 })
  }

  @Test func `starts a chunk when the predicate rejects two adjacent values`() {
    #expect(runs([1, 2, 4, 5, 9]) == ["[1, 2]", "[4, 5]", "[9]", "finished"])
  }

  @Test func `ends a chunk at its maximum count`() {
    #expect(runs([1, 2, 3, 4, 5, 9], maxCount: 2) == ["[1, 2]", "[3, 4]", "[5]", "[9]", "finished"])
    #expect(runs([1, 2, 3], maxCount: 1) == ["[1]", "[2]", "[3]", "finished"])
  }

  @Test func `publishes nothing for an empty upstream`() {
    #expect(runs([]) == ["finished"])
  }

  @Test func `publishes no empty chunk when the last one is full`() {
    #expect(runs([1, 2], maxCount: 2) == ["[1, 2]", "finished"])
  }

  @Test func `drops a partial chunk when upstream fails`() {
    let recorder = record(source.chunked(maxCount: 9) { $0 == $1 })
    source.send(1)
    source.send(2)
    source.fail(.first)
    #expect(recorder.log == ["[1]", "first"])
  }

  @Test func `requests one value at a time while a chunk grows`() {
    let recorder = record(source.chunked(maxCount: 3) { $0 == $1 }, .max(1))
    #expect(source.requests == [.max(1)])
    for _ in 0..<2 { source.send(1) }
    #expect(recorder.log == [])
    #expect(source.demand == .max(3))
    source.send(1)
    #expect(recorder.log == ["[1, 1, 1]"])
    #expect(source.demand == .max(3))
  }

  @Test func `holds the last chunk and the completion until it is requested`() {
    let recorder = record(source.chunked(maxCount: 3) { $0 == $1 }, .max(1))
    source.send(1)
    source.send(2)
    source.finish()
    #expect(recorder.log == ["[1]"])
    recorder.request(.max(1))
    #expect(recorder.log == ["[1]", "[2]", "finished"])
  }

  @Test func `publishes nothing after cancellation`() {
    let recorder = record(source.chunked(maxCount: 3) { $0 == $1 })
    source.send(1)
    recorder.cancel()
    source.send(2)
    source.finish()
    #expect(source.cancelCount == 1)
    #expect(recorder.log == [])
  }

  @Test func `compares each value with the one before it`() {
    var compared: [[Int]] = []
    _ = log(
      [1, 2, 3].publisher.chunked(maxCount: 9) {
        compared.append([$0, $1])
        return $1 != 3
      })
    #expect(compared == [[1, 2], [2, 3]])
  }

  @Test func `publishes a key with its values`() {
    let words = ["ant", "ape", "bee", "asp"].publisher
    #expect(
      log(words.chunked(maxCount: 10, on: { $0.prefix(1) }))
        == [#"("a", ["ant", "ape"])"#, #"("b", ["bee"])"#, #"("a", ["asp"])"#, "finished"])
  }

  @Test func `publishes the key of a full chunk`() {
    let values = [1, 1, 1, 2, 2, 3].publisher
    #expect(
      log(values.chunked(maxCount: 2, on: { $0 }))
        == ["(1, [1, 1])", "(1, [1])", "(2, [2, 2])", "(3, [3])", "finished"])
    #expect(
      log(values.chunked(maxCount: 1, on: { $0 }))
        == ["(1, [1])", "(1, [1])", "(1, [1])", "(2, [2])", "(2, [2])", "(3, [3])", "finished"])
  }

  @Test func `computes one key for each value`() {
    var keys: [Int] = []
    _ = log(
      [1, 1, 2].publisher.chunked(
        maxCount: 9,
        on: { value -> Int in
          keys.append(value)
          return value
        }))
    #expect(keys == [1, 1, 2])
  }

  @Test func `drops a keyed chunk when upstream fails`() {
    let recorder = record(source.chunked(maxCount: 9, on: { $0 }))
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["first"])
  }

  @Test(.exits) func `a maximum count of zero stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.chunked(maxCount: 0) { $0 == $1 }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("chunked(maxCount:) requires a count of at least 1, got 0."))
    await #expect(processExitsWith: .failure) { _ = [1].publisher.chunked(maxCount: -1, on: { $0 }) }
  }
}
