/// A namespace for the types that publishers and operators have.
public enum Publishers {}

/// A namespace for the types that have to do with subscribers.
public enum Subscribers {}

/// A namespace for the types that have to do with subscriptions.
public enum Subscriptions {}

extension Subscriptions {
  /// A subscription that sends nothing and has nothing to cancel.
  public static var empty: any Subscription { EmptySubscription() }
}

/// The subscription behind ``Subscriptions/empty``.
///
/// A value without contents: putting one where a subscription may come later takes no memory and no counting.
struct EmptySubscription: Subscription, CustomStringConvertible {
  private static let identifier = CombineIdentifier()

  var combineIdentifier: CombineIdentifier { Self.identifier }

  func request(_ demand: Subscribers.Demand) { demand.requirePositive() }

  func cancel() {}

  var description: String { "Empty" }
}

extension Subscribers.Demand {
  /// Stops the program when a subscriber asked for nothing, which is a mistake that would otherwise be a silent hang.
  @inlinable
  func requirePositive() {
    precondition(
      self != .none,
      "request(.none): a subscriber must ask for at least one value; to ask for nothing, do not call request(_:).")
  }
}
