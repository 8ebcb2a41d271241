/// The connection of one subscriber to one publisher.
///
/// Both members may be called at any time, from any thread, and while a value is being delivered.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Requests more values; requests add up.
  ///
  /// - Parameter demand: The number of values to request. ``Subscribers/Demand/none`` has no effect; in a debug build,
  ///   the first such request is reported on standard error.
  func request(_ demand: Subscribers.Demand)

  /// The subscription as an object, which the package stores, and on which it calls `request(_:)` and `cancel()`, in
  /// place of the subscription.
  ///
  /// There is no need to implement this property. An implementation must return an object that does the same as the
  /// subscription: the publisher is cancelled only through it, and an object that leads back to the subscriber causes
  /// endless requests.
  var _object: any Subscription & AnyObject { get }
}

extension Subscription {
  /// An object that forwards requests and cancellation.
  public var _object: any Subscription & AnyObject { SubscriptionBox(self) }
}

extension Subscription where Self: AnyObject {
  /// The subscription itself.
  public var _object: any Subscription & AnyObject { self }
}

/// A subscription as the kernel stores it: two words, whereas `any Subscription` has five, and copying, moving or
/// comparing the latter calls functions that are found at run time.
@usableFromInline
typealias SubscriptionObject = any Subscription & AnyObject

/// An object that wraps a subscription that is not one.
private final class SubscriptionBox<Content: Subscription>: Subscription, CustomStringConvertible {
  private let content: Content

  init(_ content: Content) { self.content = content }

  var combineIdentifier: CombineIdentifier { content.combineIdentifier }
  var description: String { "\(content)" }

  func request(_ demand: Subscribers.Demand) { content.request(demand) }
  func cancel() { content.cancel() }
}
