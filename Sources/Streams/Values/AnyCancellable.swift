internal import Synchronization

/// Cancels what it holds when it is cancelled or when nobody holds it any more.
///
/// It lets go of what it holds when it has cancelled it, so that nothing outlives the stream.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
  // `Sendable` is unchecked because of what is held, which belongs to whoever takes it out: one caller.
  // `Cancellable.cancel()` is required to be legal from any thread.

  /// What is cancelled, retained; whoever takes it out cancels it.
  ///
  /// One word, because there is one of these for every live stream.
  private let held: Atomic<Unmanaged<Inlet>?>

  /// Makes one that calls a closure.
  public init(_ cancel: @escaping () -> Void) { held = Atomic(.passRetained(CancelAction(cancel))) }

  /// Makes one that cancels another.
  public init<C: Cancellable>(_ canceller: C) {
    held = Atomic(.passRetained(CancelAction { canceller.cancel() }))
  }

  /// Makes one that cancels what a subscriber is attached to.
  @usableFromInline
  init(inlet: Inlet) { held = Atomic(.passRetained(inlet)) }

  deinit { cancel() }

  /// Cancels, if that has not been done before.
  public func cancel() {
    guard let inlet = held.exchange(nil, ordering: .acquiringAndReleasing) else { return }
    inlet._withUnsafeGuaranteedRef { $0.cancel() }
    inlet.release()
  }

  /// Whether both are the same object.
  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  /// Feeds the object's identity into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// What a cancellable does that was made of a closure. It is an inlet so that the cancellable need not ask what it holds.
private final class CancelAction: Inlet {
  private let run: () -> Void

  init(_ run: @escaping () -> Void) { self.run = run }

  override func cancel() { run() }
}
