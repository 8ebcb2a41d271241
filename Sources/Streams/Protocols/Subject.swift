/// A publisher that you send values to from outside a stream.
///
/// Subscribers receive values in the order in which they subscribed. If you send a value while another one is being
/// delivered, it waits until every subscriber has received the earlier one. The thread that delivers the first value then
/// delivers it too.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Sends a value to the subscribers.
  ///
  /// - Parameter value: The value to send.
  func send(_ value: Output)

  /// Ends the subject. Subscribers receive nothing that you send later.
  ///
  /// - Parameter completion: The completion to send.
  func send(completion: Subscribers.Completion<Failure>)

  /// Attaches the subject to a publisher by passing it that publisher's subscription.
  ///
  /// - Parameter subscription: The subscription of the publisher.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {
  /// Sends an event that has no value.
  @inlinable
  public func send() { send(()) }
}
