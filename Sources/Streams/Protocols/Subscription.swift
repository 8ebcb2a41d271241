/// The connection between one subscriber and one publisher.
///
/// You can call either method at any time and from any thread, even while a value is being delivered.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Requests more values. Requests add up.
  ///
  /// - Parameter demand: The number of values to request. ``Subscribers/Demand/none`` has no effect. In a debug build, the first
  ///   such request is reported on standard error.
  func request(_ demand: Subscribers.Demand)

  /// The subscription as the package stores it. You don't need to implement this property. Only the package can create its value.
  var _object: StoredSubscription { get }
}

/// A subscription that is an object, or an object that forwards to a subscription that isn't.
///
/// Code outside the package can't create or use it, so it's left out of the documentation.
@_documentation(visibility: internal)
public struct StoredSubscription {
  package let object: SubscriptionObject

  fileprivate init(_ object: SubscriptionObject) { self.object = object }
}

extension Subscription {
  /// An object that forwards requests and cancellation.
  public var _object: StoredSubscription { StoredSubscription(SubscriptionBox(self)) }
}

extension Subscription where Self: AnyObject {
  /// The subscription itself.
  public var _object: StoredSubscription { StoredSubscription(self) }
}

/// A subscription as the kernel stores it, in two words. `any Subscription` has five, and copying, moving or comparing it calls
/// functions that are looked up at run time.
@usableFromInline
package typealias SubscriptionObject = any Subscription & AnyObject

/// An object that wraps a subscription that isn't an object.
private final class SubscriptionBox<Content: Subscription>: Subscription, CustomStringConvertible {
  private let content: Content

  init(_ content: Content) { self.content = content }

  var combineIdentifier: CombineIdentifier { content.combineIdentifier }
  var description: String { "\(content)" }

  func request(_ demand: Subscribers.Demand) { content.request(demand) }
  func cancel() { content.cancel() }
}
