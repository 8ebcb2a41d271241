/// A publisher to which code outside a stream sends values.
///
/// Subscribers are served in the order in which they subscribed. A value sent while another is being delivered waits
/// until every subscriber has received the other one; the thread that delivers the first value then delivers it.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Sends a value to the subscribers.
  ///
  /// - Parameter value: The value to send.
  func send(_ value: Output)

  /// Ends the subject; subscribers receive nothing that is sent later.
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
