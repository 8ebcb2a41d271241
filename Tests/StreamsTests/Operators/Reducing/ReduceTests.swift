import Streams
import Testing

struct ReduceTests {
  @Test func `publishes the reduced value of all values`() {
    #expect(log([1, 2, 3].publisher.reduce("0") { "\($0)\($1)" }) == ["0123", "finished"])
    #expect(log([1, 2, 3].publisher.tryReduce("0") { "\($0)\($1)" }) == ["0123", "finished"])
  }

  @Test func `publishes the initial result when upstream is empty`() {
    #expect(log(Empty<Int, Never>().reduce(7, +)) == ["7", "finished"])
    #expect(log(Empty<Int, Never>().tryReduce(7, +)) == ["7", "finished"])
  }

  @Test func `starts with the initial result for every subscriber`() {
    let publisher = [1, 2].publisher.reduce(0, +)
    #expect([collect(publisher), collect(publisher)] == [[3], [3]])
  }

  @Test func `requests unlimited demand at once, and publishes the result on demand`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.reduce(0, +), .none)
    #expect(source.requests == [.unlimited])

    source.send(1)
    source.finish()
    #expect(recorder.log == [])

    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `a failure drops the result`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.reduce(0, +))
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["first"])
  }

  @Test func `cancels upstream once and then publishes nothing`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.reduce(0, +))
    source.send(1)
    recorder.cancel()
    recorder.cancel()
    source.finish()
    #expect(recorder.log == [])
    #expect(source.cancelCount == 1)
  }

  @Test func `tryReduce cancels upstream and delivers a thrown error once`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.tryReduce(0) { _, _ in throw TestError.first }, .none)
    source.send(1)
    source.send(2)
    source.finish()
    #expect(recorder.log == ["first"])
    #expect(source.cancelCount == 1)
  }
}
