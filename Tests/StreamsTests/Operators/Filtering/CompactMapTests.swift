import Streams
import Testing

struct CompactMapTests {
  @Test func `publishes results that are not nil`() {
    #expect(log(["1", "x", "3"].publisher.compactMap { Int($0) }) == ["1", "3", "finished"])
  }

  @Test func `requests another value for each nil result`() {
    let source = ManualSource<String, Never>()
    record(source.compactMap { Int($0) }, .max(1))
    #expect(source.send("x") == .max(1))
    #expect(source.send("1") == .none)
  }

  @Test func `fuses with a compactMap or map that follows`() {
    let publisher: Publishers.CompactMap<Publishers.Sequence<[String], Never>, String> =
      ["1", "x", "2"].publisher.compactMap { Int($0) }.compactMap { $0 > 1 ? $0 : nil }.map { "<\($0)>" }
    #expect(collect(publisher) == ["<2>"])
  }

  @Test func `forwards failures and cancellation`() {
    let source = ManualSource<String, TestError>()
    let recorder = record(source.compactMap { Int($0) })
    source.fail(.first)
    #expect(recorder.log == ["first"])
    record(source.compactMap { Int($0) }).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `tryCompactMap cancels upstream and delivers a thrown error once`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(
      source.tryCompactMap { value -> Int? in
        if value == 3 { throw TestError.first }
        return value == 1 ? nil : value
      })
    for value in 1...4 { source.send(value) }
    source.finish()
    #expect(recorder.log == ["2", "first"])
    #expect(source.cancelCount == 1)
  }

  @Test func `tryCompactMap fuses with a compactMap that follows`() {
    let publisher: Publishers.TryCompactMap<Publishers.Sequence<[String], Never>, Int> =
      ["1", "2"].publisher.tryCompactMap { Int($0) }.compactMap { $0 > 1 ? $0 : nil }
    #expect(collect(publisher) == [2])
  }
}
