public import Streams

/// Work that runs at most once and can be let go of before.
@usableFromInline
final class CancellableAction: Cancellable, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the reference to the work.
  private let action: Locked<(() -> Void)?>

  @usableFromInline
  init(_ action: @escaping () -> Void) { self.action = Locked(action) }

  @usableFromInline
  func run() { take()?() }

  @usableFromInline
  func cancel() { _ = take() }

  private func take() -> (() -> Void)? { action.withLock { $0.take() } }
}
