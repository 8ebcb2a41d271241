/// A publisher that sends nothing until ``connect()`` is called, so that several subscribers can be attached before.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Starts sending.
  ///
  /// - Returns: A cancellable that stops the publisher from sending.
  func connect() -> any Cancellable

  /// Starts sending, and passes the cancellable that stops it to a closure before anything is sent.
  ///
  /// Subscribers that leave while a source sends synchronously can thus stop it. The default implementation passes the
  /// result of ``connect()``, which such a source returns only after it has sent.
  ///
  /// - Parameter keep: A closure that stores the cancellable.
  @_disfavoredOverload
  func connect(handingOver keep: (any Cancellable) -> Void)
}

extension ConnectablePublisher {
  /// Starts sending, and passes the result of ``connect()`` to a closure.
  ///
  /// - Parameter keep: A closure that stores the cancellable.
  @inlinable @_disfavoredOverload
  public func connect(handingOver keep: (any Cancellable) -> Void) { keep(connect()) }
}
