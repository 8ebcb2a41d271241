/// The namespace of the publishers' and operators' types.
public enum Publishers {}

/// The namespace of the publishers' and operators' types that Combine lacks.
///
/// They are not in ``Publishers``, where a program may have types of the same names.
public enum ExtendedPublishers {}

/// The namespace of the types that relate to subscribers.
public enum Subscribers {}

/// The namespace of the types that relate to subscriptions.
public enum Subscriptions {}

extension Subscriptions {
  /// A subscription that sends nothing and has nothing to cancel.
  public static var empty: any Subscription { EmptySubscription.shared }
}

/// The subscription behind ``Subscriptions/empty``.
private final class EmptySubscription: Subscription, CustomStringConvertible, Sendable {
  static let shared = EmptySubscription()

  func request(_ demand: Subscribers.Demand) { _ = demand.isRequest }

  func cancel() {}

  var description: String { "Empty" }
}
