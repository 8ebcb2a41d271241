internal import Synchronization

/// A namespace for the types that publishers and operators have.
public enum Publishers {}

/// A namespace for the types that have to do with subscribers.
public enum Subscribers {}

/// A namespace for the types that have to do with subscriptions.
public enum Subscriptions {}

extension Subscriptions {
  /// A subscription that sends nothing and has nothing to cancel.
  public static var empty: any Subscription { EmptySubscription.shared }
}

/// The subscription behind ``Subscriptions/empty``.
private final class EmptySubscription: Subscription, CustomStringConvertible, Sendable {
  static let shared = EmptySubscription()

  func request(_ demand: Subscribers.Demand) { demand.requirePositive() }

  func cancel() {}

  var description: String { "Empty" }
}

/// The subscription of something that has ended already; it remembers whether it was cancelled.
@usableFromInline
final class EndedSubscription: Subscription, CustomStringConvertible {
  private let cancelled = Atomic(false)

  @usableFromInline
  init() {}

  @usableFromInline
  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) { demand.requirePositive() }

  @usableFromInline
  func cancel() { cancelled.store(true, ordering: .relaxed) }

  @usableFromInline
  var description: String { "Empty" }
}

extension Subscriber {
  /// Receives a subscription and, unless it cancels that, the completion.
  @inlinable
  func receiveOnly(_ completion: Subscribers.Completion<Failure>) {
    let subscription = EndedSubscription()
    receive(subscription: subscription)
    if !subscription.isCancelled { receive(completion: completion) }
  }
}

extension Subscribers.Demand {
  /// Stops the program when a subscriber asked for nothing, which is a mistake that would otherwise be a silent hang.
  @inlinable
  package func requirePositive() {
    if self == .none { Self.stopAtNone() }
  }

  @usableFromInline @inline(never)
  static func stopAtNone() -> Never {
    stopProgram(
      "request(.none): a subscriber must ask for at least one value. To ask for nothing, do not call request(_:).")
  }
}
