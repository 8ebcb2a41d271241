import Testing

@testable import Streams

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

  @Test func `operators with several sources take a subscription that is not an object`() {
    publisher.merge(with: Empty(completeImmediately: false)).sink { _ in }.cancel()

    #expect(publisher.log.events == ["request unlimited", "cancel"])
  }

  @Test func `an object stands for itself`() {
    let inlet = Inlet()

    #expect(inlet._object === inlet)
  }

  @Test func `the object of one that is none has its identity`() {
    let subscription = ValueSubscription(log: publisher.log)

    #expect(subscription._object.combineIdentifier == subscription.combineIdentifier)
  }
}
