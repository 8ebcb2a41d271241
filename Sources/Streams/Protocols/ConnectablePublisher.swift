/// A publisher that doesn't send anything until you call ``connect()``, so you can attach several subscribers first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Starts sending.
  ///
  /// - Returns: A cancellable that stops the publisher from sending.
  func connect() -> any Cancellable
}

/// A publisher that hands over its cancellable before it starts sending, so that subscribers that leave while its source sends
/// synchronously can stop it.
package protocol CancellableFirstConnectable: ConnectablePublisher {
  /// Passes the cancellable that stops the publisher to a closure, then starts sending.
  func connect(handingOver keep: (any Cancellable) -> Void)
}

extension ConnectablePublisher {
  /// Starts sending and passes the cancellable that stops the publisher to a closure, beforehand if the publisher supports
  /// that.
  @usableFromInline
  func connect(keeping keep: (any Cancellable) -> Void) {
    if let early = self as? any CancellableFirstConnectable {
      early.connect(handingOver: keep)
    } else {
      keep(connect())
    }
  }
}
