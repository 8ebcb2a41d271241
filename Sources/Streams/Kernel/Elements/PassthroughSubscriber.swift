/// The subscriber of an operator that handles each value independently.
///
/// The subscription and the completion pass through unchanged, so the operator adds only its closure to the chain, and the
/// chain is specialized as a whole. The subscriber isn't generic over the upstream publisher, so there's one specialization for
/// each element type.
@usableFromInline
package protocol PassthroughSubscriber: Subscriber {
  associatedtype Downstream: Subscriber
  var downstream: Downstream { get }
}

extension PassthroughSubscriber {
  @inlinable
  package var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @inlinable
  package var _upstreamLink: SubscriberLink? { downstream._upstreamLink }

  @inlinable
  package func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }
}

extension PassthroughSubscriber where Failure == Downstream.Failure {
  @inlinable
  package func receive(completion: Subscribers.Completion<Failure>) { downstream.receive(completion: completion) }
}
