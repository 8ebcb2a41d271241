import StreamSchedulers
import Streams
import Testing

/// One operator on a bench, with a subscriber.
final class Trial {
  let bench: Bench
  private(set) var subscriber: ProbeSubscriber!

  /// The subscription that the subscriber received. It outlives the subscriber here.
  private(set) var subscription: (any Subscription)?

  /// Subscribes with an initial demand, or without demand.
  init(
    _ entry: CatalogEntry, demand: Subscribers.Demand? = .unlimited, script: SourceScript = .none,
    prepare: (Bench, ProbeSubscriber) -> Void = { _, _ in }
  ) {
    bench = Bench(script: script)
    let publisher = entry.build(bench)
    subscriber = ProbeSubscriber(endsChain: entry.isTransparent)
    subscriber.onSubscription = { if let demand { $0.request(demand) } }
    prepare(bench, subscriber)
    publisher.subscribe(subscriber)
    bench.scheduler.advance()
    subscription = subscriber.subscription
  }

  var events: [String] { subscriber.events }

  /// Everything except the subscription.
  var output: String { events.dropFirst().joined(separator: " ") }

  func request(_ demand: Subscribers.Demand) {
    if subscriber.hasEnded { return }
    subscription?.request(demand)
    bench.scheduler.advance()
  }

  func cancel() {
    subscription?.cancel()
    bench.scheduler.advance()
  }

  func dropSubscriber() { subscriber = nil }
}

/// One operator on a bench, with a sink. The sink shields its closures from upstream's violations of the
/// contract.
final class SinkTrial {
  let bench = Bench()
  private(set) var events: [String] = []
  private(set) var sink: Subscribers.Sink<String, ContractError>!

  init(_ entry: CatalogEntry, prepare: (SinkTrial) -> Void = { _ in }) {
    let publisher = entry.build(bench)
    sink = Subscribers.Sink(
      receiveCompletion: { [unowned self] in events.append($0 == .finished ? "finished" : "failed") },
      receiveValue: { [unowned self] in events.append($0) })
    prepare(self)
    publisher.subscribe(sink)
    bench.scheduler.advance()
  }

  // A relay, which the bench releases, finishes its subscribers.
  deinit { sink.cancel() }

  var output: String { events.joined(separator: " ") }
}

/// One operator on a bench whose sources keep their subscribers forever, with a sink whose closures capture an object.
final class ClosureTrial {
  enum Attachment: CaseIterable {
    /// The method with two closures.
    case closures
    /// The method with one closure.
    case value
    /// `Subscribers.Sink`, which is retained until it is cancelled.
    case sink
  }

  let bench = Bench()
  private(set) weak var captured: TestObject?
  private var cancellable: AnyCancellable?

  init(_ entry: CatalogEntry, _ attachment: Attachment, onValue: @escaping (ClosureTrial) -> Void = { _ in }) {
    let publisher = entry.build(bench)
    for source in bench.sources { source.isStubborn = true }
    let object = TestObject()
    captured = object
    let receiveValue = { [unowned self, object] (_: String) in
      onValue(self)
      withExtendedLifetime(object) {}
    }
    switch attachment {
    case .closures:
      cancellable = publisher.sink(
        receiveCompletion: { [object] _ in withExtendedLifetime(object) {} }, receiveValue: receiveValue)
    case .value:
      cancellable = publisher.replaceError(with: "").sink(receiveValue: receiveValue)
    case .sink:
      let sink = Subscribers.Sink<String, ContractError>(
        receiveCompletion: { [object] _ in withExtendedLifetime(object) {} }, receiveValue: receiveValue)
      cancellable = AnyCancellable(sink)
      publisher.subscribe(sink)
    }
    bench.scheduler.advance()
  }

  deinit { cancelNow() }

  func cancel() {
    cancelNow()
    bench.scheduler.advance()
  }

  /// Cancels during a delivery, where a task may be running that must not advance time.
  func cancelNow() { cancellable?.cancel() }
}
