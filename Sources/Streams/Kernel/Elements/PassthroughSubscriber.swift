/// The subscriber of an operator that looks at each value by itself.
///
/// Subscription and completion go by untouched, so the operator adds nothing but its closure to the chain, and the
/// chain specialises as a whole. It is not parameterised by the upstream publisher: one specialisation per element type.
@usableFromInline
protocol PassthroughSubscriber: Subscriber {
  associatedtype Downstream: Subscriber
  var downstream: Downstream { get }
}

extension PassthroughSubscriber {
  @inlinable
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @inlinable
  var _inlet: SubscriberInlet? { downstream._inlet }

  @inlinable
  func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }
}

extension PassthroughSubscriber where Failure == Downstream.Failure {
  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { downstream.receive(completion: completion) }
}
