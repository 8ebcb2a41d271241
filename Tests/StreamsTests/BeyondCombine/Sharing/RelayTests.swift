import Streams
import Testing

struct RelayTests {
  @Test func `one that keeps nothing passes on what it accepts`() {
    let relay = PassthroughRelay<Int>()
    relay.accept(1)
    let recorder = record(relay, .max(1))
    relay.accept(2)
    relay.accept(3)
    #expect(recorder.log == ["2"])
  }

  @Test func `one that has a value starts with the newest`() {
    let relay = CurrentValueRelay(1)
    let first = record(relay)
    relay.accept(2)
    #expect(relay.value == 2)
    #expect(first.log == ["1", "2"])
    #expect(record(relay).log == ["2"])
  }

  @Test func `one that keeps several starts with those`() {
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

  @Test func `is bound to a publisher, whose end does not end it`() {
    let relay = CurrentValueRelay(0)
    let recorder = record(relay)
    let first = [1, 2].publisher.subscribe(relay)
    relay.accept(3)
    #expect(recorder.log == ["0", "1", "2", "3"])
    first.cancel()
  }

  @Test func `asks what it is bound to for everything, and is let go of with the binding`() {
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

  @Test func `may be bound to several publishers, and to another relay`() {
    let (first, second) = (PassthroughRelay<Int>(), PassthroughRelay<Int>())
    let all = ReplayRelay<Int>(bufferSize: 10)
    let bindings = [first.subscribe(all), second.subscribe(all)]
    first.accept(1)
    second.accept(2)
    first.accept(3)
    #expect(record(all).log == ["1", "2", "3"])
    withExtendedLifetime(bindings) {}
  }

  @Test func `can be used as any relay`() {
    let relays: [any Relay<Int>] = [PassthroughRelay<Int>(), CurrentValueRelay(0), ReplayRelay<Int>(bufferSize: 1)]
    for relay in relays { relay.accept(1) }
    #expect(relays.count == 3)
  }

  @Test func `does not take room for nothing`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ReplayRelay<Int>(bufferSize: 0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains(
        "ReplayRelay(bufferSize:) requires a size of at least 1, got 0. Use PassthroughRelay to replay no values."))
  }
}
