/// The subscriber of an erased publisher that was attached at a landing (see ``ThreadContext``): the subscription, the
/// completion, requests and cancellations, which pass through a chain without bound, too, land at the same place.
///
/// All of them land at the same subscribers, so those that are deferred keep their order. Values pass: what a subscriber
/// returns for a value is needed at once.
struct LandingSubscriber<Input, Failure: Error>: Subscriber {
  let downstream: AnySubscriber<Input, Failure>

  init(_ downstream: AnySubscriber<Input, Failure>) { self.downstream = downstream }

  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  var _inlet: SubscriberInlet? { downstream._inlet }

  func receive(subscription: any Subscription) {
    let landing = ThreadContext.LandingSubscription(subscription._object.object)
    ThreadContext.current.land(.down) { downstream.receive(subscription: landing) }
  }

  func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }

  func receive(completion: Subscribers.Completion<Failure>) {
    ThreadContext.current.land(.down) { downstream.receive(completion: completion) }
  }
}

extension ThreadContext {
  /// The subscription that a ``LandingSubscriber`` hands downstream.
  fileprivate final class LandingSubscription: Subscription, CustomStringConvertible {
    private let upstream: SubscriptionObject

    init(_ upstream: SubscriptionObject) { self.upstream = upstream }

    var combineIdentifier: CombineIdentifier { upstream.combineIdentifier }
    var description: String { "\(upstream)" }

    func request(_ demand: Subscribers.Demand) {
      current.land(.up) { [upstream] in upstream.request(demand) }
    }

    func cancel() {
      current.land(.up) { [upstream] in upstream.cancel() }
    }
  }
}
