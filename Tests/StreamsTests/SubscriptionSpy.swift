import Streams

/// Keeps its subscription, and requests everything.
final class SubscriptionSpy<Input, Failure: Error>: Subscriber {
  var subscription: (any Subscription)?

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.unlimited)
  }

  func receive(_ input: Input) -> Subscribers.Demand { .none }

  func receive(completion: Subscribers.Completion<Failure>) {}
}
