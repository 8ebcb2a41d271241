/// A publisher that sends nothing until ``connect()`` is called, so that several subscribers can be attached first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Starts sending; cancelling what is returned stops it.
  func connect() -> any Cancellable
}
