import Streams
import Testing

struct ShareTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `subscribes to upstream once, for the first subscriber`() {
    let shared = source.share()
    #expect(source.subscriberCount == 0)
    let first = record(shared)
    let second = record(shared)
    #expect(source.subscriberCount == 1)

    source.send(1)
    source.finish()
    #expect(first.log == ["1", "finished"])
    #expect(second.log == ["1", "finished"])
  }

  @Test func `cancels upstream when the last subscriber cancels`() {
    let shared = source.share()
    let first = record(shared)
    let second = record(shared)
    first.cancel()
    #expect(source.cancelCount == 0)
    second.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `counts a subscriber that cancels twice once`() {
    let shared = source.share()
    let first = record(shared)
    let second = record(shared)
    first.cancel()
    first.cancel()
    #expect(source.cancelCount == 0)
    second.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `subscribes to upstream again after the last subscriber has cancelled`() {
    let shared = source.share()
    record(shared).cancel()
    let again = record(shared)
    source.send(1)
    #expect(source.subscriberCount == 2)
    #expect(again.log == ["1"])
  }

  @Test func `delivers its completion to later subscribers`() {
    let shared = source.share()
    record(shared)
    source.fail(.first)
    #expect(record(shared).log == ["first"])
  }

  @Test func `a subscriber can cancel while the first value is being delivered`() {
    let shared = (1...).publisher.share()
    let recorder = SignalRecorder<Int, Never>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    shared.subscribe(recorder)
    #expect(recorder.log == ["1"])
  }

  @Test func `requests unlimited demand from upstream on the first request`() {
    let shared = source.share()
    let recorder = record(shared, .none)
    #expect(source.requests == [])
    recorder.request(.max(1))
    #expect(source.requests == [.unlimited])
  }

  @Test func `equals only itself`() {
    let shared = Just(1).share()
    #expect(shared == shared)
    #expect(shared != Just(1).share())
  }

  @Test func `releases upstream's subscription with the last subscriber`() {
    weak var released: TestObject?
    let shared: Publishers.Share<Publishers.HandleEvents<ManualSource<Int, TestError>>>
    do {
      let object = TestObject()
      released = object
      shared = source.handleEvents().share()
      let cancellable = shared.sink { [object] _ in
        _ = object
      } receiveValue: { _ in
      }
      cancellable.cancel()
    }
    #expect(source.cancelCount == 1)
    #expect(released == nil)
    withExtendedLifetime(shared) {}
  }

  @Test(arguments: [true, false])
  func `does not subscribe to upstream again after it has completed`(_ fails: Bool) {
    let shared = source.share()
    let first = record(shared)
    let second = record(shared)
    if fails { source.fail(.first) } else { source.finish() }
    let end = fails ? "first" : "finished"
    #expect(first.log == [end])
    #expect(second.log == [end])

    #expect(record(shared).log == [end])
    #expect(record(shared).log == [end])
    #expect(source.subscriberCount == 1)
    #expect(source.cancelCount == 0)
  }

  @Test func `runs upstream once for consecutive subscribers`() {
    var count = 0
    let shared = Deferred { () -> Just<Int> in
      count += 1
      return Just(count)
    }.share()
    #expect(log(shared) == ["1", "finished"])
    #expect(log(shared) == ["finished"])
    #expect(count == 1)
  }

  @Test func `subscribes to upstream once when a subscriber cancels during another's completion`() {
    let shared = source.share()
    let first = SignalRecorder<Int, TestError>()
    let second = SignalRecorder<Int, TestError>()
    first.onCompletion = { second.cancel() }
    shared.subscribe(first)
    shared.subscribe(second)
    source.finish()
    #expect(first.log == ["finished"])
    #expect(second.log == [])
    #expect(record(shared).log == ["finished"])
    #expect(source.subscriberCount == 1)
  }

  @Test func `subscribes to upstream once when a subscriber arrives during the completion`() {
    let shared = source.share()
    let first = SignalRecorder<Int, TestError>()
    let second = SignalRecorder<Int, TestError>()
    first.onCompletion = { shared.subscribe(second) }
    shared.subscribe(first)
    source.finish()
    #expect(second.log == ["finished"])
    #expect(source.subscriberCount == 1)
  }
  @Test func `requests nothing after a reconnection before its subscriber does`() {
    let shared = source.share()
    record(shared).cancel()
    let recorder = record(shared, .none)
    #expect(source.subscriberCount == 2)
    #expect(source.requests == [.unlimited])
    recorder.request(.max(1))
    #expect(source.requests == [.unlimited, .unlimited])
  }
}
