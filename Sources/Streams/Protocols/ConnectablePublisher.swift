/// A publisher that doesn't send anything until you call ``connect()``, so you can attach several subscribers first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Starts sending.
  ///
  /// - Returns: A cancellable that stops the publisher from sending.
  func connect() -> any Cancellable
}

/// A publisher that hands over what stops it before it starts sending. So subscribers that leave while its source sends
/// synchronously can stop it.
package protocol CancellableFirstConnectable: ConnectablePublisher {
  /// Starts sending, but first passes a closure the cancellable that stops the publisher.
  func connect(handingOver keep: (any Cancellable) -> Void)
}

extension ConnectablePublisher {
  /// Starts sending, and passes a closure the cancellable that stops the publisher: before, if the publisher can do that.
  @usableFromInline
  func connect(keeping keep: (any Cancellable) -> Void) {
    if let early = self as? any CancellableFirstConnectable {
      early.connect(handingOver: keep)
    } else {
      keep(connect())
    }
  }
}
