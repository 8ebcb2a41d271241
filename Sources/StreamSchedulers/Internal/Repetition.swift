public import Streams

/// The cancellable of a repeating action: stops it when it's cancelled or released.
///
/// One object, where an `AnyCancellable` around the action takes three.
@usableFromInline
package final class Repetition: Cancellable {
  private let action: any Cancellable & AnyObject

  @usableFromInline
  package init(_ action: any Cancellable & AnyObject) { self.action = action }

  deinit { action.cancel() }

  /// Stops the repetition. Has no effect the second time.
  @usableFromInline
  package func cancel() { action.cancel() }
}
