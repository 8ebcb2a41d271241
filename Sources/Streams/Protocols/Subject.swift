/// A publisher that you send values to from outside a stream.
///
///     let letters = PassthroughSubject<String, Never>()
///     let sink = letters.sink { print($0) }
///     letters.send("a")
///
/// Subscribers receive values in the order in which they subscribed. A value that you send while another one is being delivered
/// waits until every subscriber has received the earlier one. The same thread then delivers both.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Sends a value to the subscribers.
  ///
  /// - Parameter value: The value to send.
  func send(_ value: Output)

  /// Ends the subject. Subscribers don't receive anything that you send afterward.
  ///
  /// - Parameter completion: The completion to send.
  func send(completion: Subscribers.Completion<Failure>)

  /// Attaches the subject to a publisher by passing the subject that publisher's subscription.
  ///
  /// - Parameter subscription: The publisher's subscription.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {
  /// Sends an event without a value.
  @inlinable
  public func send() { send(()) }
}
