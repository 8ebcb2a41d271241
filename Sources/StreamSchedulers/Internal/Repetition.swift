public import Streams

/// A cancellable that, when cancelled or released, stops a repeating action.
///
/// It's one object. An `AnyCancellable` around the action would need three.
@usableFromInline
package final class Repetition: Cancellable {
  private let action: any Cancellable & AnyObject

  @usableFromInline
  package init(_ action: any Cancellable & AnyObject) { self.action = action }

  deinit { action.cancel() }

  /// Stops the repetition. Further calls have no effect.
  @usableFromInline
  package func cancel() { action.cancel() }
}
