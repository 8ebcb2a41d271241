/// A type that receives values from a publisher.
///
///     final class Printer: Subscriber {
///       func receive(subscription: any Subscription) { subscription.request(.max(1)) }
///       func receive(_ input: Int) -> Subscribers.Demand {
///         print(input)
///         return .max(1)
///       }
///       func receive(completion: Subscribers.Completion<Never>) {}
///     }
///
/// A subscriber receives one subscription, then values, then at most one completion. It requests values with
/// ``Subscription/request(_:)`` and with the result of ``receive(_:)``. The amounts add up.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  /// The type of the values that this subscriber receives.
  associatedtype Input

  /// The type of the errors that this subscriber can receive. Use `Never` if it can't receive one.
  associatedtype Failure: Error

  /// Notifies the subscriber that it's attached and may request values.
  ///
  /// - Parameter subscription: The connection to the publisher.
  func receive(subscription: any Subscription)

  /// Delivers a value to the subscriber.
  ///
  /// - Parameter input: The value.
  /// - Returns: The number of additional values that the subscriber requests.
  func receive(_ input: Input) -> Subscribers.Demand

  /// Notifies the subscriber that nothing more will follow.
  ///
  /// - Parameter completion: The completion, which indicates whether the publisher finished or failed.
  func receive(completion: Subscribers.Completion<Failure>)

  /// The link of one of the package's own subscribers. You don't need to implement this property.
  var _upstreamLink: SubscriberLink? { get }
}

/// A link from one of the package's own subscribers, through which the package's publishers declare that their signals never
/// overlap.
///
/// Code outside the package can't create or use it, so it's left out of the documentation.
@_documentation(visibility: internal) @frozen
public struct SubscriberLink {
  @usableFromInline package let link: CountedUpstreamLink

  @inlinable
  package init(_ link: CountedUpstreamLink) { self.link = link }
}

extension Subscriber {
  /// Returns `nil` by default.
  @inlinable
  public var _upstreamLink: SubscriberLink? { nil }
}

extension Subscriber where Input == Void {
  /// Delivers an event without a value to the subscriber.
  ///
  /// - Returns: The number of additional values that the subscriber requests.
  @inlinable
  public func receive() -> Subscribers.Demand { receive(()) }
}
