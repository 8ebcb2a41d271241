import Streams
import Testing

struct CountTests {
  @Test(arguments: [0, 1, 3]) func `sends the number of values`(count: Int) {
    #expect(log((0..<count).publisher.count()) == ["\(count)", "finished"])
  }

  @Test func `asks for everything at once, and sends the number when it is asked for`() {
    let source = ManualSource<String, Never>()
    let recorder = record(source.count(), .none)
    #expect(source.requests == [.unlimited])

    source.send("a")
    source.finish()
    #expect(recorder.log == [])

    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `a failure drops the number`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.count())
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["first"])
  }

  @Test func `cancellation goes up once and nothing follows`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.count())
    recorder.cancel()
    source.finish()
    #expect(recorder.log == [])
    #expect(source.cancelCount == 1)
  }

  @Test func `publishers are equal when upstream is`() {
    func count(_ numbers: [Int]) -> Publishers.Count<Publishers.Sequence<[Int], Never>> { numbers.publisher.count() }
    #expect(count([1]) == count([1]))
    #expect(count([1]) != count([2]))
  }
}
