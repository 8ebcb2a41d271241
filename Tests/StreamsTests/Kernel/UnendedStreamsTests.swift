import Streams
import SuiteSupport
import Testing

/// Streams that nobody can reach any more, although they have neither ended nor been cancelled.
struct UnendedStreamsTests {
  /// A subscriber that doesn't keep its subscription.
  private final class Forgetful: Subscriber {
    func receive(subscription: any Subscription) {}
    func receive(_ input: TestObject) -> Subscribers.Demand { .none }
    func receive(completion: Subscribers.Completion<Never>) {}
  }

  /// A publisher that its subscription doesn't retain.
  private final class Source: Publisher {
    typealias Output = TestObject
    typealias Failure = Never
    private(set) var subscriber: AnySubscriber<TestObject, Never>?

    func receive<S: Subscriber>(subscriber: S) where S.Input == TestObject, S.Failure == Never {
      self.subscriber = AnySubscriber(subscriber)
      subscriber.receive(subscription: Subscriptions.empty)
    }
  }

  @Test func `an operator that is released releases its subscriber and the values that wait`() {
    weak var subscriber: Forgetful?
    weak var value: TestObject?
    do {
      let (source, other) = (Source(), Source())
      let (forgetful, object) = (Forgetful(), TestObject())
      (subscriber, value) = (forgetful, object)
      source.merge(with: other).subscribe(forgetful)
      _ = source.subscriber?.receive(object)
      #expect(subscriber != nil && value != nil)
    }
    #expect(subscriber == nil)
    #expect(value == nil)
  }
}
