/// A publisher that doesn't start its work until you call ``connect()``, so you can attach several subscribers first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Starts sending.
  ///
  /// - Returns: A cancellable that stops the publisher from sending.
  func connect() -> any Cancellable
}

/// A publisher that hands over its cancellable before it starts sending, so subscribers that leave while its source sends
/// synchronously can stop it.
package protocol CancellableFirstConnectable: ConnectablePublisher {
  /// Passes a closure the cancellable that stops the publisher, then starts sending.
  func connect(handingOver keep: (any Cancellable) -> Void)
}

extension ConnectablePublisher {
  /// Starts sending and passes a closure the cancellable that stops the publisher, before it starts if the publisher supports
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
