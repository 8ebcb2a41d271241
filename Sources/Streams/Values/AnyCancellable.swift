internal import Synchronization

/// Cancels what it holds when it is cancelled or when nobody holds it any more.
///
/// It lets go of what it holds when it has cancelled it, so that nothing outlives the stream.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
  // `Sendable` is unchecked because of `action`, which belongs to whoever turns `isCancelled` to true: one caller.
  // `Cancellable.cancel()` is required to be legal from any thread.
  private let isCancelled = Atomic(false)
  @exclusivity(unchecked) private var action: Action

  private enum Action {
    case none
    case call(() -> Void)
    case cancel(any Cancellable)
  }

  /// Makes one that calls a closure.
  public init(_ cancel: @escaping () -> Void) { action = .call(cancel) }

  /// Makes one that cancels another.
  public init<C: Cancellable>(_ canceller: C) { action = .cancel(canceller) }

  deinit { cancel() }

  /// Cancels, if that has not been done before.
  public func cancel() {
    guard !isCancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let action = action
    self.action = .none
    switch action {
    case .none: break
    case .call(let cancel): cancel()
    case .cancel(let cancellable): cancellable.cancel()
    }
  }

  /// Whether both are the same object.
  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  /// Feeds the object's identity into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
