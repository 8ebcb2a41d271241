/// A publisher that sends nothing until you call ``connect()``, so you can attach several subscribers first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Starts sending.
  ///
  /// - Returns: A cancellable that stops the publisher from sending.
  func connect() -> any Cancellable

  /// Starts sending, and passes the cancellable that stops it to a closure before anything is sent.
  ///
  /// This way, subscribers that leave while a source sends synchronously can stop it. The default implementation passes the
  /// result of ``connect()``. A source that sends synchronously returns that result only after it has sent everything.
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
