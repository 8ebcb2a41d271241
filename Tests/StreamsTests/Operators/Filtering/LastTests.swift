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
