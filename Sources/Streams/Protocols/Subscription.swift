/// The connection of one subscriber to one publisher.
///
/// Both members may be called at any time, from any thread, also while a value is being delivered.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Asks for more values; requests add up.
  ///
  /// Asking for ``Subscribers/Demand/none`` is a mistake of the subscriber and stops the program.
  func request(_ demand: Subscribers.Demand)
}
