import Streams
import Testing

struct DeferredTests {
  @Test func `creates a publisher for every subscriber, and none before`() {
    var count = 0
    let deferred = Deferred { () -> Just<Int> in
      count += 1
      return Just(count)
    }
    #expect(count == 0)
    #expect(collect(deferred) + collect(deferred) == [1, 2])
  }

  @Test func `forwards all signals of the created publisher`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(Deferred { source }, .max(2))
    source.send(1)
    source.fail(.first)
    #expect(source.requests == [.max(2)])
    #expect(recorder.log == ["1", "first"])
  }
}
