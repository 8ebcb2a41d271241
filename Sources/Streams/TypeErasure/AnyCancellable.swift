internal import Synchronization

/// A cancellable that cancels what it holds when it is cancelled or when the last reference to it is released.
///
/// It releases what it holds once it has cancelled that, so that nothing outlives the stream.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
  // `Sendable` is unchecked because of what is held, which belongs to the one caller that takes it out.
  // `Cancellable.cancel()` is required to be legal from any thread.

  /// The object to cancel, retained; the caller that takes it out cancels it.
  ///
  /// It is one word, because every live stream has one of these.
  private let held: Atomic<Unmanaged<UpstreamLink>?>

  /// Creates a cancellable that calls a closure.
  ///
  /// - Parameter cancel: A closure that is called once, when this is cancelled or released.
  public init(_ cancel: @escaping () -> Void) { held = Atomic(.passRetained(CancelAction(cancel))) }

  /// Creates a cancellable that cancels another one, which it retains.
  ///
  /// It is an owner of its own: when it is released, the other one is cancelled, even if other references to that
  /// exist.
  ///
  /// - Parameter canceller: The cancellable to cancel.
  public init<C: Cancellable>(_ canceller: C) {
    held = Atomic(.passRetained(CancelAction { canceller.cancel() }))
  }

  /// Creates a cancellable that cancels the upstream of a subscriber.
  @usableFromInline
  init(link: UpstreamLink) { held = Atomic(.passRetained(link)) }

  deinit { cancel() }

  /// Cancels the activity, unless that has been done before.
  public func cancel() {
    guard let link = held.exchange(nil, ordering: .acquiringAndReleasing) else { return }
    link._withUnsafeGuaranteedRef { $0.cancel() }
    link.release()
  }

  /// Stores this cancellable in a collection; it is cancelled when the last reference to it is released.
  ///
  /// The element is this object itself, and not another one that cancels it.
  ///
  /// - Parameter collection: The collection to which the cancellable is appended.
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(self)
  }

  /// Stores this cancellable in a set; it is cancelled when the last reference to it is released.
  ///
  /// The member is this object itself, so the set contains it once, however often it is stored.
  ///
  /// - Parameter set: The set into which the cancellable is inserted.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

  /// Returns whether both references are to the same object.
  ///
  /// - Parameters:
  ///   - lhs: A cancellable to compare.
  ///   - rhs: Another cancellable to compare.
  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  /// Hashes the object's identity.
  ///
  /// - Parameter hasher: The hasher to use.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The action of a cancellable that was created with a closure. It is a link, so that the cancellable need not check
/// the type of what it holds.
private final class CancelAction: UpstreamLink {
  private let run: () -> Void

  init(_ run: @escaping () -> Void) {
    self.run = run
    super.init()
  }

  override func cancel() { run() }
}
