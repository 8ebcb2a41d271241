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

  /// Makes one that cancels another, which it retains.
  ///
  /// It is an owner of its own: when it is let go of, the other is cancelled, whoever else holds that.
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

  /// Keeps this in a collection, where it is cancelled when the collection lets go of it and nobody else holds it.
  ///
  /// The element is this object itself, and not another one that cancels it.
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(self)
  }

  /// Keeps this in a set, where it is cancelled when the set lets go of it and nobody else holds it.
  ///
  /// The member is this object itself, so it is in the set once, however often it is stored.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

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
