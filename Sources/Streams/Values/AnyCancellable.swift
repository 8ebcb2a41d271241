internal import Synchronization

/// Cancels what it holds when it is cancelled or when nobody holds it any more.
///
/// It lets go of what it holds when it has cancelled it, so that nothing outlives the stream.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
  // `Sendable` is unchecked because of what is held, which belongs to whoever turns `isCancelled` to true: one caller.
  // `Cancellable.cancel()` is required to be legal from any thread.
  private let isCancelled = Atomic(false)
  @exclusivity(unchecked) private var inlet: Inlet?
  @exclusivity(unchecked) private var action: (() -> Void)?

  /// Makes one that calls a closure.
  public init(_ cancel: @escaping () -> Void) { action = cancel }

  /// Makes one that cancels another.
  public init<C: Cancellable>(_ canceller: C) { action = { canceller.cancel() } }

  /// Makes one that cancels what a subscriber is attached to.
  @usableFromInline
  init(_ inlet: Inlet) { self.inlet = inlet }

  deinit {
    if !isCancelled.load(ordering: .acquiring) { cancel() }
  }

  /// Cancels, if that has not been done before.
  public func cancel() {
    guard !isCancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    inlet.take()?.cancel()
    action.take()?()
  }

  /// Whether both are the same object.
  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  /// Feeds the object's identity into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
