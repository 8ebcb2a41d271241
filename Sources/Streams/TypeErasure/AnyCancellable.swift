internal import Synchronization

/// A cancellable that cancels its content when you cancel it or release the last reference to it.
///
/// It releases its content after cancelling it, so that nothing outlives the stream.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
  // `Sendable` is unchecked because of the content, which belongs to the one caller that takes it out. `Cancellable.cancel()` is
  // required to be legal from any thread.

  /// The object to cancel, retained. The caller that takes it out cancels it.
  ///
  /// It's one word, because every live stream has one of these.
  private let held: Atomic<Unmanaged<UpstreamLink>?>

  /// Creates a cancellable that calls a closure.
  ///
  /// - Parameter cancel: A closure that is called once, when this cancellable is cancelled or released.
  public init(_ cancel: @escaping () -> Void) { held = Atomic(.passRetained(CancelAction(cancel))) }

  /// Creates a cancellable that retains another one and cancels it.
  ///
  /// It owns the other one independently. Releasing this cancellable cancels the other one, even if you hold other references to
  /// that one.
  ///
  /// - Parameter canceller: The cancellable to cancel.
  public init<C: Cancellable>(_ canceller: C) { held = Atomic(.passRetained(CancellableLink(canceller))) }

  /// Creates a cancellable that cancels a subscriber's upstream.
  @usableFromInline
  init(link: UpstreamLink) { held = Atomic(.passRetained(link)) }

  /// The object that this cancels, for code that inspects the stream, or `nil` once this has been cancelled.
  package var part: AnyObject? {
    while let own = held.load(ordering: .acquiring) {
      // A cancellation may release the object at any moment. So this temporarily holds a lease, which retains the object and
      // passes on a cancellation.
      let lease = CancellationLease(own)
      let retained: Unmanaged<UpstreamLink> = .passRetained(lease)
      guard held.compareExchange(expected: own, desired: retained, ordering: .acquiringAndReleasing).exchanged else {
        retained.release()
        continue
      }
      lease.begin()
      let part = lease.part
      if held.compareExchange(expected: retained, desired: own, ordering: .acquiringAndReleasing).exchanged {
        lease.end()
        retained.release()
      }
      return part
    }
    return nil
  }

  deinit { cancel() }

  /// Cancels the activity, unless that has been done before.
  public func cancel() {
    guard let link = held.exchange(nil, ordering: .acquiringAndReleasing) else { return }
    link._withUnsafeGuaranteedRef { $0.cancel() }
    link.release()
  }

  /// Stores this cancellable in a collection. It's cancelled when the last reference to it is released.
  ///
  /// The element is this object itself, not another one that cancels it.
  ///
  /// - Parameter collection: The collection to append the cancellable to.
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(self)
  }

  /// Stores this cancellable in a set. It's cancelled when the last reference to it is released.
  ///
  /// The member is this object itself, so the set contains it once, no matter how often you store it.
  ///
  /// - Parameter set: The set to insert the cancellable into.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

  /// Returns whether both references refer to the same object.
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

/// Stands in for a cancellable's link while that link is being inspected.
private final class CancellationLease: UpstreamLink {
  private let link: Unmanaged<UpstreamLink>
  /// Indicates whether the lease now owns the reference that the cancellable had.
  private let isOwner = Atomic(false)

  init(_ link: Unmanaged<UpstreamLink>) {
    self.link = link
    super.init()
  }

  /// Takes over the reference. A concurrent cancellation doesn't wait: the caller retains the lease, so it's alive.
  func begin() { isOwner.store(true, ordering: .releasing) }

  /// Returns the reference.
  func end() { isOwner.store(false, ordering: .relaxed) }

  /// The link itself, even if the stored link is another thread's lease.
  var part: UpstreamLink {
    let link = link.takeUnretainedValue()
    return (link as? CancellationLease)?.part ?? link
  }

  override func cancel() { link._withUnsafeGuaranteedRef { $0.cancel() } }

  deinit { if isOwner.load(ordering: .acquiring) { link.release() } }
}

/// The action for a cancellable that was created with a closure. It's a link, so that the cancellable doesn't need to check the
/// type of its content.
private final class CancelAction: UpstreamLink {
  private let run: () -> Void

  init(_ run: @escaping () -> Void) {
    self.run = run
    super.init()
  }

  override func cancel() { run() }
}

/// The link for a cancellable that was created with another one.
private final class CancellableLink<C: Cancellable>: UpstreamLink {
  private let canceller: C

  init(_ canceller: C) {
    self.canceller = canceller
    super.init()
  }

  override func cancel() { canceller.cancel() }

  override func inspectContents(_ state: UpstreamLink.State, _ tell: StreamFact.Tell) {
    tell(.upstream, 0, canceller as AnyObject)
  }
}
