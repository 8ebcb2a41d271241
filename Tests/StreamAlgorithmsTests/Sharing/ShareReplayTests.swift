import Streams
import SuiteSupport
import Testing

struct ShareReplayTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `subscribes to upstream once, and replays its buffer to later subscribers`() {
    let shared = source.share(replay: 2)
    #expect(source.subscriberCount == 0)
    let first = record(shared)
    #expect(source.requests == [.unlimited])
    for value in 1...3 { source.send(value) }
    let second = record(shared)
    source.send(4)
    #expect(source.subscriberCount == 1)
    #expect(first.log == ["1", "2", "3", "4"])
    #expect(second.log == ["2", "3", "4"])
  }

  @Test func `cancels upstream and drops its buffer when the last subscriber cancels`() {
    let shared = source.share(replay: 2)
    let first = record(shared)
    let second = record(shared)
    source.send(1)
    first.cancel()
    #expect(source.cancelCount == 0)
    second.cancel()
    #expect(source.cancelCount == 1)

    let third = record(shared)
    #expect(third.log == [])
    #expect(source.subscriberCount == 2)
    source.send(2)
    #expect(third.log == ["2"])
    #expect(record(shared).log == ["2"])
  }

  @Test func `releases its buffer when the last subscriber cancels`() {
    let source = ManualSource<TestObject, TestError>()
    let shared = source.share(replay: 1)
    let recorder = shared.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    weak var witness: TestObject?
    do {
      let object = TestObject()
      witness = object
      source.send(object)
    }
    #expect(witness != nil)
    recorder.cancel()
    #expect(witness == nil)
  }

  @Test(arguments: [false, true])
  func `replays its buffer and the completion to later subscribers, without another subscription`(fails: Bool) {
    let shared = source.share(replay: 1)
    let first = record(shared)
    source.send(1)
    source.send(2)
    if fails { source.fail(.first) } else { source.finish() }
    let end = fails ? "first" : "finished"
    #expect(first.log == ["1", "2", end])
    for _ in 0..<2 { #expect(record(shared).log == ["2", end]) }
    #expect(source.subscriberCount == 1)
  }

  @Test func `does not subscribe again when a subscriber cancels before it received the completion`() {
    let shared = source.share(replay: 1)
    let slow = record(shared, .none)
    source.send(1)
    source.finish()
    slow.cancel()
    #expect(record(shared).log == ["1", "finished"])
    #expect(source.subscriberCount == 1)
  }

  @Test func `buffers the latest values for a slow subscriber`() {
    let shared = source.share(replay: 2)
    let slow = record(shared, .none)
    for value in 1...3 { source.send(value) }
    slow.request(.unlimited)
    #expect(slow.log == ["2", "3"])
  }

  @Test func `connects for the next subscriber when the first cancels in receive(subscription:)`() {
    let shared = source.share(replay: 1)
    let leaver = SignalRecorder<Int, TestError>(.none)
    leaver.onSubscription = { $0.cancel() }
    shared.subscribe(leaver)
    #expect(source.subscriberCount == 0)
    let recorder = record(shared)
    source.send(1)
    #expect(recorder.log == ["1"])
  }

  @Test func `delivers all values to the first subscriber, and the buffer to the second`() {
    let shared = [1, 2, 3].publisher.share(replay: 2)
    #expect(log(shared) == ["1", "2", "3", "finished"])
    #expect(log(shared) == ["2", "3", "finished"])
  }

  @Test func `equals only itself`() {
    let shared = source.share(replay: 1)
    #expect(shared == shared)
    #expect(shared != source.share(replay: 1))
  }

  @Test func `with a count of zero replays nothing`() {
    let source = PassthroughSubject<Int, Never>()
    let shared = source.share(replay: 0)
    let first = record(shared)
    source.send(1)
    let second = record(shared)
    source.send(2)
    source.send(completion: .finished)
    #expect(first.log == ["1", "2", "finished"])
    #expect(second.log == ["2", "finished"])
    #expect(record(shared).log == ["finished"])
  }

  @Test(.exits) func `a negative count stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.share(replay: -1)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("share(replay:) requires a count of at least 0, got -1."))
  }
}
