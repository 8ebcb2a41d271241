/// The connection of one subscriber to one publisher.
///
/// Both members may be called at any time, from any thread, also while a value is being delivered.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Asks for more values; requests add up.
  ///
  /// Asking for ``Subscribers/Demand/none`` is a mistake of the subscriber and stops the program.
  func request(_ demand: Subscribers.Demand)

  /// The subscription as an object, which the package keeps, asks and cancels in place of the subscription.
  ///
  /// There is no need to implement this. Who does must answer with something that does the same: the publisher is cancelled
  /// only through it, and what leads back to the subscriber would be asked without end.
  var _object: any Subscription & AnyObject { get }
}

extension Subscription {
  /// An object that passes requests and cancellation on.
  public var _object: any Subscription & AnyObject { SubscriptionBox(self) }
}

extension Subscription where Self: AnyObject {
  /// The subscription itself.
  public var _object: any Subscription & AnyObject { self }
}

/// A subscription as the kernel keeps it: two words, while `any Subscription` has five, and copying, moving and comparing
/// those calls functions that are found at run time.
@usableFromInline
typealias SubscriptionObject = any Subscription & AnyObject

/// A subscription that is not an object, in one.
private final class SubscriptionBox<Content: Subscription>: Subscription, CustomStringConvertible {
  private let content: Content

  init(_ content: Content) { self.content = content }

  var combineIdentifier: CombineIdentifier { content.combineIdentifier }
  var description: String { "\(content)" }

  func request(_ demand: Subscribers.Demand) { content.request(demand) }
  func cancel() { content.cancel() }
}
