/// A type that receives values from a publisher.
///
/// A subscriber gets one subscription, then values, then at most one completion. It asks for values with
/// ``Subscription/request(_:)`` and with what ``receive(_:)`` returns; the amounts add up.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  /// The kind of values this subscriber receives.
  associatedtype Input

  /// The kind of errors this subscriber may receive; `Never` when it cannot receive one.
  associatedtype Failure: Error

  /// Tells the subscriber that it is attached and may ask for values.
  func receive(subscription: any Subscription)

  /// Tells the subscriber that a value has arrived, and returns how many more it wants.
  func receive(_ input: Input) -> Subscribers.Demand

  /// Tells the subscriber that nothing more will follow.
  func receive(completion: Subscribers.Completion<Failure>)

  /// What can serve as the subscription, which only subscribers of the package have; there is no need to implement this.
  var _inlet: SubscriberInlet? { get }
}

/// The end of a subscriber of the package that can serve as its subscription, and saves the publisher from making one.
///
/// Nobody else can make one, and there is nothing to do with it, so it is left out of the documentation.
@_documentation(visibility: internal) @frozen
public struct SubscriberInlet {
  @usableFromInline let gate: Gate

  @inlinable
  init(_ gate: Gate) { self.gate = gate }
}

extension Subscriber {
  /// Nothing: the publisher makes the subscription.
  @inlinable
  public var _inlet: SubscriberInlet? { nil }
}

extension Subscriber where Input == Void {
  /// Tells the subscriber that an event without a value has arrived.
  @inlinable
  public func receive() -> Subscribers.Demand { receive(()) }
}
