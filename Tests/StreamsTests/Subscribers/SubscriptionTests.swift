import Testing

@testable import Streams

// `@testable`: a subscriber that has a link, of which `sink` returns only the cancellable.

/// A subscription that is not an object.
private struct ValueSubscription: Subscription {
  final class Log {
    var events: [String] = []
  }

  let log: Log
  let combineIdentifier = CombineIdentifier()

  func request(_ demand: Subscribers.Demand) { log.events.append("request \(demand)") }
  func cancel() { log.events.append("cancel") }
}

/// Sends a subscription that is not an object, and nothing else.
private struct ValuePublisher: Publisher {
  typealias Output = Int
  typealias Failure = Never
  let log = ValueSubscription.Log()

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    subscriber.receive(subscription: ValueSubscription(log: log))
  }
}

struct SubscriptionTests {
  private let publisher = ValuePublisher()

  @Test func `a subscription need not be an object`() {
    publisher.sink { _ in }.cancel()

    #expect(publisher.log.events == ["request unlimited", "cancel"])
  }

  @Test func `operators with several sources accept a subscription that is not an object`() {
    publisher.merge(with: Empty(completeImmediately: false)).sink { _ in }.cancel()

    #expect(publisher.log.events == ["request unlimited", "cancel"])
  }

  @Test func `an object is its own subscription object`() {
    let link = UpstreamLink()

    #expect(link._object.object === link)
  }

  @Test func `the object of a value subscription has its identity`() {
    let subscription = ValueSubscription(log: publisher.log)

    #expect(subscription._object.object.combineIdentifier == subscription.combineIdentifier)
  }

  @Test func `a wrapper can forward the link of its subscriber`() {
    let subject = PassthroughSubject<Int, Never>()
    var values: [Int] = []
    let sink = SinkSubscriber<Int, Never>({ _ in }) { values.append($0) }
    let wrapper = Wrapper(downstream: sink)
    subject.subscribe(wrapper)
    // A link that is already in use is not accepted.
    subject.subscribe(wrapper)
    subject.send(1)
    sink.link.cancel()
    subject.send(2)

    #expect(values == [1])
  }
}

/// A custom subscriber that exposes the link of another.
private struct Wrapper<Downstream: Subscriber>: Subscriber {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure
  let combineIdentifier = CombineIdentifier()
  let downstream: Downstream

  var _upstreamLink: SubscriberLink? { downstream._upstreamLink }

  func receive(subscription: any Subscription) {
    downstream.receive(subscription: ValueWrapper(subscription: subscription))
  }
  func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }
  func receive(completion: Subscribers.Completion<Failure>) { downstream.receive(completion: completion) }

  struct ValueWrapper: Subscription {
    let subscription: any Subscription
    var combineIdentifier: CombineIdentifier { subscription.combineIdentifier }
    func request(_ demand: Subscribers.Demand) { subscription.request(demand) }
    func cancel() { subscription.cancel() }
  }
}
