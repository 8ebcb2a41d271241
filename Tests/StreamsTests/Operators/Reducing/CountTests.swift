import Streams
import Testing

struct CountTests {
  @Test(arguments: [0, 1, 3]) func `publishes the number of values`(count: Int) {
    #expect(log((0..<count).publisher.count()) == ["\(count)", "finished"])
  }

  @Test func `requests unlimited demand at once, and publishes the count on demand`() {
    let source = ManualSource<String, Never>()
    let recorder = record(source.count(), .none)
    #expect(source.requests == [.unlimited])

    source.send("a")
    source.finish()
    #expect(recorder.log == [])

    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `a failure drops the count`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.count())
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["first"])
  }

  @Test func `cancels upstream once and then publishes nothing`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.count())
    recorder.cancel()
    source.finish()
    #expect(recorder.log == [])
    #expect(source.cancelCount == 1)
  }

  @Test func `publishers with equal upstreams are equal`() {
    func count(_ numbers: [Int]) -> Publishers.Count<Publishers.Sequence<[Int], Never>> { numbers.publisher.count() }
    #expect(count([1]) == count([1]))
    #expect(count([1]) != count([2]))
  }
}
