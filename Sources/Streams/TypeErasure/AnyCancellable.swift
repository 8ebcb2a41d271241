internal import Synchronization

/// A cancellable that calls a closure or cancels another object when you cancel it or release the last reference to it.
///
///     let cancellable = AnyCancellable { print("cancelled") }
///     cancellable.cancel()   // cancelled
///
/// After that, it releases the closure or the object, so neither outlives the stream.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
  // `Sendable` is unchecked because the link may hold any cancellable. `Cancellable` requires that `cancel()` may be called
  // from any thread.

  /// The link to cancel, retained. The thread that takes the link out cancels it.
  ///
  /// It's stored in one word, because every live stream has a cancellable.
  private let held: Atomic<Unmanaged<UpstreamLink>?>

  // Safe: the placeholder is constant, and its lock protects the link that it stands for.
  /// A stand-in for the link while an inspection retains the link under the stand-in's lock.
  private nonisolated(unsafe) static let placeholder = UpstreamLink()

  /// Creates a cancellable that calls a closure.
  ///
  /// - Parameter cancel: A closure that is called once, when this cancellable is cancelled or released.
  public convenience init(_ cancel: @escaping () -> Void) { self.init(link: CancelAction(cancel)) }

  /// Creates a cancellable that retains another one and cancels it.
  ///
  /// Releasing this cancellable cancels the other one, even if that's still referenced.
  ///
  /// - Parameter canceller: The cancellable to cancel.
  public convenience init<C: Cancellable>(_ canceller: C) { self.init(link: CancellableLink(canceller)) }

  /// Creates a cancellable that cancels a subscriber's upstream.
  @usableFromInline
  init(link: UpstreamLink) { held = Atomic(.passRetained(link)) }

  /// The link, for inspection, or `nil` once this has been cancelled.
  package var link: AnyObject? {
    // A cancellation may release the link at any moment. So a placeholder replaces the link until the link is retained.
    let placeholder = Self.placeholder
    return placeholder.withLock { _ -> AnyObject? in
      guard let link = held.load(ordering: .acquiring),
        held.compareExchange(expected: link, desired: .passUnretained(placeholder), ordering: .acquiring).exchanged
      else { return nil }
      let retained = link.takeUnretainedValue()
      held.store(link, ordering: .releasing)
      return retained
    }
  }

  deinit { cancel() }

  /// Calls the closure or cancels the other object. Only the first call has an effect.
  public func cancel() {
    while let link = held.load(ordering: .acquiring) {
      if link.toOpaque() == Unmanaged.passUnretained(Self.placeholder).toOpaque() {
        // Waits until the link is back.
        Self.placeholder.withLock { _ in }
      } else if held.compareExchange(expected: link, desired: nil, ordering: .acquiring).exchanged {
        link._withUnsafeGuaranteedRef { $0.cancel() }
        return link.release()
      }
    }
  }

  /// Stores this cancellable in a collection. It's cancelled when the last reference to it is released.
  ///
  /// It's stored without a wrapper.
  ///
  /// - Parameter collection: The collection to append the cancellable to.
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(self)
  }

  /// Stores this cancellable in a set. It's cancelled when the last reference to it is released.
  ///
  /// The set contains it once, no matter how often you store it.
  ///
  /// - Parameter set: The set to insert the cancellable into.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

  /// Returns whether both references refer to the same object.
  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The action for a cancellable that was created with a closure. It's a link, so the cancellable needn't check its content's
/// type.
private final class CancelAction: UpstreamLink {
  private let run: () -> Void

  init(_ run: @escaping () -> Void) {
    self.run = run
    super.init()
  }

  override func cancel() { run() }
}

/// The link for a cancellable that was created with another cancellable.
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
