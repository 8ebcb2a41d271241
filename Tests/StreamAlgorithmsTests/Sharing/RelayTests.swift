import Streams
import SuiteSupport
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

  @Test func `requests unlimited demand, a PassthroughRelay as soon as one of its subscribers does`() {
    let source = ManualSource<Int, Never>()
    let relay = PassthroughRelay<Int>()
    let binding = source.subscribe(relay)
    #expect(source.requests == [])
    record(relay, .max(1))
    #expect(source.requests == [.unlimited])
    binding.cancel()
    #expect(source.cancelCount == 1)
    for relay in [CurrentValueRelay(0), ReplayRelay(bufferSize: 1)] as [any Relay<Int>] {
      let source = ManualSource<Int, Never>()
      let binding = source.subscribe(relay)
      #expect(source.requests == [.unlimited])
      binding.cancel()
    }
  }

  @Test func `is not retained by a publisher to which it is bound, and finishes its subscribers when it is released`() {
    for make in [{ PassthroughRelay<Int>() }, { CurrentValueRelay(0) }, { ReplayRelay(bufferSize: 1) }]
      as [() -> any Relay<Int>]
    {
      let source = ManualSource<Int, Never>()
      let recorder = SignalRecorder<Int, Never>()
      weak var witness: (any Relay<Int>)?
      let binding: AnyCancellable
      do {
        let relay = make()
        witness = relay
        relay.eraseToAnyPublisher().subscribe(recorder)
        binding = source.subscribe(relay)
        source.send(7)
      }
      #expect(witness == nil)
      #expect(recorder.values.last == 7)
      #expect(recorder.completions == [.finished])
      #expect(source.cancelCount == 1)
      binding.cancel()
      #expect(source.cancelCount == 1)
    }
  }

  @Test func `a relay bound to another receives its first value, even before it has a subscriber`() {
    let name = CurrentValueRelay("Ada")
    let (passing, current) = (PassthroughRelay<String>(), CurrentValueRelay(""))
    let replaying = ReplayRelay<String>(bufferSize: 2)
    let bindings = [name.subscribe(passing), name.subscribe(current), name.subscribe(replaying)]
    name.accept("Grace")
    let (first, second, third) = (record(passing), record(current), record(replaying))
    name.accept("Barbara")
    #expect(first.log == ["Grace", "Barbara"])
    #expect(second.log == ["Grace", "Barbara"])
    #expect(third.log == ["Ada", "Grace", "Barbara"])
    withExtendedLifetime(bindings) {}
  }

  /// A relay that does nothing but forward.
  private final class OwnRelay: Relay {
    typealias Output = Int
    typealias Failure = Never
    let subject = PassthroughSubject<Int, Never>()
    func accept(_ value: Int) { subject.send(value) }
    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      subject.receive(subscriber: subscriber)
    }
  }

  @Test func `a relay of one's own needs no more than accept`() {
    let relay = OwnRelay()
    let recorder = record(relay)
    let binding = [1, 2].publisher.subscribe(relay)
    #expect(recorder.log == ["1", "2"])
    binding.cancel()
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

  @Test func `a ReplayRelay with a buffer size of zero replays nothing`() {
    let relay = ReplayRelay<Int>(bufferSize: 0)
    relay.accept(1)
    let recorder = record(relay)
    relay.accept(2)
    #expect(recorder.log == ["2"])
  }

  @Test(.exits) func `a ReplayRelay with a negative buffer size stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ReplayRelay<Int>(bufferSize: -1)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("ReplayRelay(bufferSize:) requires a size of at least 0, got -1."))
  }
}
