/// A type that receives values from a publisher.
///
/// A subscriber receives one subscription, then values, then at most one completion. It requests values with
/// ``Subscription/request(_:)`` and with the result of ``receive(_:)``; the amounts add up.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  /// The type of the values that this subscriber receives.
  associatedtype Input

  /// The type of the errors that this subscriber may receive; `Never` if it cannot receive one.
  associatedtype Failure: Error

  /// Informs the subscriber that it is attached and may request values.
  ///
  /// - Parameter subscription: The connection to the publisher.
  func receive(subscription: any Subscription)

  /// Delivers a value to the subscriber.
  ///
  /// - Parameter input: The value.
  /// - Returns: The number of additional values that the subscriber requests.
  func receive(_ input: Input) -> Subscribers.Demand

  /// Informs the subscriber that nothing more will follow.
  ///
  /// - Parameter completion: The completion, which indicates whether the publisher finished or failed.
  func receive(completion: Subscribers.Completion<Failure>)

  /// The link that can serve as the subscription, which only subscribers of the package have; there is no need to
  /// implement this property.
  var _upstreamLink: SubscriberLink? { get }
}

/// The end of a subscriber of the package that can serve as its subscription, and saves the publisher from creating
/// one.
///
/// Code outside the package cannot create one and has no use for it, so it is left out of the documentation.
@_documentation(visibility: internal) @frozen
public struct SubscriberLink {
  @usableFromInline let subscription: BroadcastSubscription

  @inlinable
  init(_ subscription: BroadcastSubscription) { self.subscription = subscription }
}

extension Subscriber {
  /// The default, `nil`: the publisher creates the subscription.
  @inlinable
  public var _upstreamLink: SubscriberLink? { nil }
}

extension Subscriber where Input == Void {
  /// Delivers an event that has no value to the subscriber.
  ///
  /// - Returns: The number of additional values that the subscriber requests.
  @inlinable
  public func receive() -> Subscribers.Demand { receive(()) }
}
