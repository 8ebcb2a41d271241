public import Streams

/// Keeps its subscription, and requests everything.
public final class SubscriptionSpy<Input, Failure: Error>: Subscriber {
  public private(set) var subscription: (any Subscription)?

  public init() {}

  public func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.unlimited)
  }

  public func receive(_ input: Input) -> Subscribers.Demand { .none }

  public func receive(completion: Subscribers.Completion<Failure>) {}
}
