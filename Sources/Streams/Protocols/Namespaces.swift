/// The namespace for publisher and operator types.
public enum Publishers {}

/// The namespace for types that relate to subscribers.
public enum Subscribers {}

/// The namespace for types that relate to subscriptions.
public enum Subscriptions {}

extension Subscriptions {
  /// A subscription that ignores requests and cancellation.
  public static var empty: any Subscription { EmptySubscription.shared }
}

/// The subscription behind ``Subscriptions/empty``.
private final class EmptySubscription: Subscription, CustomStringConvertible, Sendable {
  static let shared = EmptySubscription()

  func request(_ demand: Subscribers.Demand) { _ = demand.isRequest }

  func cancel() {}

  var description: String { "Empty" }
}
