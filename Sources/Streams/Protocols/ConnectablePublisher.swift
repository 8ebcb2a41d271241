/// A publisher that sends nothing until ``connect()`` is called, so that several subscribers can be attached first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Starts sending; cancelling what is returned stops it.
  func connect() -> any Cancellable

  /// Starts sending, and hands over, before anything is sent, what stops it.
  ///
  /// So subscribers that leave while a source sends at once can stop it. The default hands over what ``connect()``
  /// returns, which is after such a source has sent.
  func connect(handingOver keep: (any Cancellable) -> Void)
}

extension ConnectablePublisher {
  /// Starts sending, and hands over what stops it.
  @inlinable
  public func connect(handingOver keep: (any Cancellable) -> Void) { keep(connect()) }
}
