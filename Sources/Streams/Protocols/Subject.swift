/// A publisher into which values are sent from outside.
///
/// Subscribers are served in the order in which they subscribed. A value sent while another is being delivered
/// waits until every subscriber has that one, and is then delivered by whoever delivers the first.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Sends a value to the subscribers.
  func send(_ value: Output)

  /// Ends the subject; nothing that is sent later reaches anyone.
  func send(completion: Subscribers.Completion<Failure>)

  /// Hands the subject the subscription of a publisher that it was attached to.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {
  /// Sends an event that has no value.
  @inlinable
  public func send() { send(()) }
}
