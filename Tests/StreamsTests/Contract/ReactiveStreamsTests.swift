import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

// `ReactiveStreamsKit` lists which tests cover which of those of the Technology Compatibility Kit for the JVM. Most are laws,
// which `ContractTests` checks. These are about several subscribers, several threads, and subscribers that belong to no operator.

@Suite(.namingWhatIsChecked) struct ReactiveStreamsTests {
  /// Entries with one source for all subscribers.
  private static let sharing: [CatalogEntry] = [
    "PassthroughSubject", "CurrentValueSubject", "ReplaySubject", "BoundedSubject", "share", "share(replay:)",
    "PassthroughRelay", "CurrentValueRelay", "ReplayRelay", "@Published", "ObservableObjectPublisher",
  ].map { name in OperatorCatalog.all.first { $0.name == name }! }

  private func attachTwo(
    to entry: CatalogEntry, _ demand: Subscribers.Demand
  ) -> (Bench, [ProbeSubscriber]) {
    let bench = Bench()
    let publisher = entry.build(bench)
    let subscribers = (1...2).map { _ in
      let subscriber = ProbeSubscriber()
      subscriber.onSubscription = { $0.request(demand) }
      if demand == 1 { subscriber.onValue = { _ in .max(1) } }
      publisher.subscribe(subscriber)
      return subscriber
    }
    return (bench, subscribers)
  }

  @Test(arguments: sharing, [Subscribers.Demand.max(1), .unlimited])
  func `subscribers of one source receive the same`(_ entry: CatalogEntry, _ demand: Subscribers.Demand) {
    for finishes in [false, true] {
      let (bench, subscribers) = attachTwo(to: entry, demand)
      bench.play()
      if finishes { bench.finish() }

      #expect(subscribers[0].values.count >= 3)
      #expect(subscribers[0].events == subscribers[1].events)
      if finishes, entry.ends { #expect(subscribers[0].hasEnded) }
      for subscriber in subscribers { subscriber.subscription?.cancel() }
    }
  }

  @Test(arguments: sharing.filter { $0.exemptions[.failure] == nil })
  func `a failure reaches all subscribers of one source`(_ entry: CatalogEntry) {
    let (bench, subscribers) = attachTwo(to: entry, .unlimited)
    bench.fail()

    for subscriber in subscribers { #expect(subscriber.events.last == "failed") }
  }

  @Test(.ownThread) func `a request waits for no delivery of another thread`() {
    for entry in OperatorCatalog.all { checkCallInValue(entry) { $0.request(.max(1)) } }
  }

  @Test(.ownThread) func `a cancellation waits for no delivery of another thread`() {
    for entry in OperatorCatalog.all { checkCallInValue(entry) { $0.cancel() } }
  }

  /// Makes a call on another thread while a value is being delivered, which waits for it: a call that waited for the
  /// delivery would hang.
  private func checkCallInValue(_ entry: CatalogEntry, _ call: @escaping (any Subscription) -> Void) {
    Checked.$what.withValue(entry.name) {
      var isCalled = false
      let trial = Trial(entry, demand: .max(2)) { _, subscriber in
        subscriber.onValue = { subscription in
          if isCalled { return .none }
          isCalled = true
          // Safe despite `nonisolated(unsafe)`: this thread waits meanwhile.
          nonisolated(unsafe) let (call, subscription) = (call, subscription)
          onAnotherThread { call(subscription) }
          return .none
        }
      }
      trial.bench.play()
      trial.bench.finish()
      trial.cancel()

      #expect(!trial.subscriber.hasOverlapped)
      #expect(isCalled == !["", "finished", "failed"].contains(entry.gives))
    }
  }

  @MainActor
  @Test(arguments: SubscriberCatalog.all)
  func `a public subscriber obeys the rules`(_ entry: SubscriberEntry) { #expect(entry.violations() == []) }
}
