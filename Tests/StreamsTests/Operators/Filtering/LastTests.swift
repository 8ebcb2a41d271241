import Streams
import Testing

struct LastTests {
  @Test func `publishes the last value`() {
    #expect(log([1, 2, 3].publisher.last()) == ["3", "finished"])
    #expect(log([1, 2, 3].publisher.last { $0 < 3 }) == ["2", "finished"])
    #expect(log([1, 2, 3].publisher.tryLast { $0 < 3 }) == ["2", "finished"])
  }

  @Test func `finishes without a value when upstream is empty`() {
    #expect(log(Empty<Int, Never>().last()) == ["finished"])
    #expect(log([1].publisher.last { $0 > 9 }) == ["finished"])
    #expect(log([1].publisher.tryLast { $0 > 9 }) == ["finished"])
  }

  @Test func `requests unlimited demand at once, and publishes the value on demand`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.last(), .none)
    #expect(source.requests == [.unlimited])

    source.send(1)
    source.finish()
    #expect(recorder.log == [])

    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `a failure drops the value`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.last())
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["first"])
  }

  @Test func `cancels upstream once and then publishes nothing`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.last { $0 > 0 })
    source.send(1)
    recorder.cancel()
    source.finish()
    #expect(recorder.log == [])
    #expect(source.cancelCount == 1)
  }

  @Test func `tryLast cancels upstream and delivers a thrown error once`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.tryLast { _ in throw TestError.first })
    source.send(1)
    source.send(2)
    source.finish()
    #expect(recorder.log == ["first"])
    #expect(source.cancelCount == 1)
  }

  @Test func `keeps only the last value`() {
    let source = ManualSource<TestObject, Never>()
    record(source.last())
    weak var first: TestObject?
    do {
      let object = TestObject()
      first = object
      source.send(object)
    }
    #expect(first != nil)

    source.send(TestObject())
    #expect(first == nil)
  }

  @Test func `publishers with equal upstreams are equal`() {
    #expect([1].publisher.last() == [1].publisher.last())
  }

  @Test func `finishes without demand when there is no value`() {
    #expect(record(Empty<Int, Never>().last(), .none).log == ["finished"])
    #expect(record(AnySequence([1, 2]).publisher.last { $0 > 2 }, .none).log == ["finished"])
  }
}
