import Streams
import Testing

struct RelayTests {
  @Test func `PassthroughRelay publishes accepted values`() {
    let relay = PassthroughRelay<Int>()
    relay.accept(1)
    let recorder = record(relay, .max(1))
    relay.accept(2)
    relay.accept(3)
    #expect(recorder.log == ["2"])
  }

  @Test func `CurrentValueRelay starts with its current value`() {
    let relay = CurrentValueRelay(1)
    let first = record(relay)
    relay.accept(2)
    #expect(relay.value == 2)
    #expect(first.log == ["1", "2"])
    #expect(record(relay).log == ["2"])
  }

  @Test func `ReplayRelay starts with its latest values`() {
    let relay = ReplayRelay<Int>(bufferSize: 2)
    for value in 1...3 { relay.accept(value) }
    let recorder = record(relay)
    relay.accept(4)
    #expect(recorder.log == ["2", "3", "4"])
  }

  @Test func `accepts an event without a value`() {
    let relay = PassthroughRelay<Void>()
    let recorder = record(relay)
    relay.accept()
    #expect(recorder.values.count == 1)
  }

  @Test func `does not end with a publisher to which it is subscribed`() {
    let relay = CurrentValueRelay(0)
    let recorder = record(relay)
    let first = [1, 2].publisher.subscribe(relay)
    relay.accept(3)
    #expect(recorder.log == ["0", "1", "2", "3"])
    first.cancel()
  }

  @Test func `requests unlimited demand, and is released with its subscription to a publisher`() {
    let source = ManualSource<Int, Never>()
    weak var witness: PassthroughRelay<Int>?
    let binding: AnyCancellable
    do {
      let relay = PassthroughRelay<Int>()
      witness = relay
      binding = source.subscribe(relay)
    }
    #expect(source.requests == [.unlimited])
    #expect(witness != nil)
    binding.cancel()
    #expect(source.cancelCount == 1)
    #expect(witness == nil)
  }

  @Test func `can be subscribed to several publishers and to another relay`() {
    let (first, second) = (PassthroughRelay<Int>(), PassthroughRelay<Int>())
    let all = ReplayRelay<Int>(bufferSize: 10)
    let bindings = [first.subscribe(all), second.subscribe(all)]
    first.accept(1)
    second.accept(2)
    first.accept(3)
    #expect(record(all).log == ["1", "2", "3"])
    withExtendedLifetime(bindings) {}
  }

  @Test func `relays can be used as any Relay`() {
    let relays: [any Relay<Int>] = [PassthroughRelay<Int>(), CurrentValueRelay(0), ReplayRelay<Int>(bufferSize: 1)]
    for relay in relays { relay.accept(1) }
    #expect(relays.count == 3)
  }

  @Test func `a ReplayRelay with a buffer size of zero stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ReplayRelay<Int>(bufferSize: 0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains(
        "ReplayRelay(bufferSize:) requires a size of at least 1, got 0. Use PassthroughRelay to replay no values."))
  }
}
