/// The subscriber of an erased publisher that was attached at a trampoline (see ``ThreadContext``): the subscription,
/// the completion, requests and cancellations, which pass through a chain without bound, too, go through the same
/// trampoline.
///
/// All of them do so at the same subscribers, so those that are deferred keep their order. Values pass: what a
/// subscriber returns for a value is needed at once.
struct TrampolineSubscriber<Input, Failure: Error>: Subscriber {
  let downstream: AnySubscriber<Input, Failure>

  init(_ downstream: AnySubscriber<Input, Failure>) { self.downstream = downstream }

  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  var _upstreamLink: SubscriberLink? { downstream._upstreamLink }

  func receive(subscription: any Subscription) {
    let trampoline = ThreadContext.TrampolineSubscription(subscription._object.object)
    ThreadContext.current.trampoline(.down) { downstream.receive(subscription: trampoline) }
  }

  func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }

  func receive(completion: Subscribers.Completion<Failure>) {
    ThreadContext.current.trampoline(.down) { downstream.receive(completion: completion) }
  }
}

extension ThreadContext {
  /// The subscription that a ``TrampolineSubscriber`` hands downstream.
  fileprivate final class TrampolineSubscription: Subscription, CustomStringConvertible {
    private let upstream: SubscriptionObject

    init(_ upstream: SubscriptionObject) { self.upstream = upstream }

    var combineIdentifier: CombineIdentifier { upstream.combineIdentifier }
    var description: String { "\(upstream)" }

    func request(_ demand: Subscribers.Demand) {
      current.trampoline(.up) { [upstream] in upstream.request(demand) }
    }

    func cancel() {
      current.trampoline(.up) { [upstream] in upstream.cancel() }
    }
  }
}
