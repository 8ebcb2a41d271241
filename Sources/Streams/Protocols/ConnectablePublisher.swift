/// A publisher that sends nothing until you call ``connect()``, so you can attach several subscribers first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Starts sending.
  ///
  /// - Returns: A cancellable that stops the publisher from sending.
  func connect() -> any Cancellable

  /// Starts sending, but first passes a closure the cancellable that stops the publisher.
  ///
  /// This way, subscribers that leave while a source is sending synchronously can still stop it. The default implementation
  /// passes the result of ``connect()``. With a source that sends synchronously, that method doesn't return until everything has
  /// been sent.
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
