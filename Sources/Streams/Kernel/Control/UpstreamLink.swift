public import Synchronization

/// The upstream end of a subscriber. It connects once and disconnects for good.
///
/// It's also the subscription that any code that may cancel receives, because it holds nothing but the reference upstream.
/// Subscriptions point up, subscribers point down, and the two meet only in a source, which releases its subscriber at the end.
/// So no reference cycle outlives the stream, and nothing that a user retains keeps closures alive.
///
/// A subscriber that ends early, or that must know on the value path whether it still has to forward values, reads
/// ``isForwarding``, which doesn't take a lock. If a publisher sends values without a subscription, it violates the contract,
/// but its values are forwarded, as in Combine.
@usableFromInline
package class UpstreamLink: Locked<UpstreamLink.State>, Subscription {
  @usableFromInline
  package struct State {
    /// The subscription. While the link is waiting for it, the requests made so far, if any (``EarlyRequest``).
    var subscription: SubscriptionObject?
    /// For a ``CountedUpstreamLink``: indicates whether upstream is a source of the kernel. Such a source's signals never
    /// overlap, and it releases its subscriber when it's cancelled.
    var isSerial = false
    /// For a ``CountedUpstreamLink``: the number of counted calls in progress. If it ever reaches the maximum, it stays
    /// there, and the closures are released together with the link.
    var calls: UInt8 = 0
  }

  @usableFromInline package final let status = Atomic(State.waiting)

  @usableFromInline
  package init() { super.init(State()) }

  /// Indicates whether a subscription may still be accepted. Constant while the lock is held.
  final var isWaiting: Bool { status.load(ordering: .relaxed) == State.waiting }

  /// Indicates whether signals from upstream are to be forwarded: upstream hasn't ended, and this hasn't been
  /// cancelled.
  @inlinable
  package final var isForwarding: Bool { status.load(ordering: .relaxed) != State.disconnected }

  /// Accepts the subscription, or cancels it if the link already had one or has been cancelled.
  ///
  /// Returns whether the subscription was accepted. Requests made before it arrived are forwarded now.
  @usableFromInline
  package func connect(_ subscription: any Subscription) -> Bool { connect(subscription) { _ in State.direct } }

  /// Accepts the subscription, with the status that a closure determines under the lock.
  @inline(__always)
  final func connect(_ subscription: any Subscription, as kind: (State) -> UInt8) -> Bool {
    var object: SubscriptionObject? = subscription._object.object
    let isTaken = withLock { state in
      guard isWaiting else { return false }
      swap(&state.subscription, &object)
      status.store(kind(state), ordering: .relaxed)
      return true
    }
    if !isTaken {
      subscription.cancel()
    } else if let early = object as? EarlyRequest {
      subscription.request(early.demand)
    }
    return isTaken
  }

  @usableFromInline
  package func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    if status.load(ordering: .relaxed) >= State.direct, let subscription = withLock({ $0.subscription }) {
      return subscription.request(demand)
    }
    let early = EarlyRequest(demand)
    var displaced: SubscriptionObject?
    let subscription: SubscriptionObject? = withLock { state in
      guard isWaiting else { return state.subscription }
      if let earlier = state.subscription as? EarlyRequest { early.demand += earlier.demand }
      displaced = early
      swap(&displaced, &state.subscription)
      return nil
    }
    subscription?.request(demand)
    _ = displaced
  }

  /// Cancels upstream. Only the first disconnection has an effect.
  @usableFromInline
  package func cancel() { take()?.cancel() }

  /// Records that upstream has ended, and returns whether that wasn't known before.
  @usableFromInline @discardableResult
  package final func finish() -> Bool { disconnect().isFirst }

  /// Disconnects, and returns the subscription the first time.
  final func take() -> SubscriptionObject? { disconnect().subscription }

  /// Tells an inspection what this holds beyond the subscription. Called under the lock.
  func inspectContents(_ state: State, _ tell: StreamFact.Tell) {}

  private func disconnect() -> (isFirst: Bool, subscription: SubscriptionObject?) {
    withLock { (status.exchange(State.disconnected, ordering: .relaxed) != State.disconnected, $0.subscription.take()) }
  }
}

extension UpstreamLink.State {
  // The values of `status`. They aren't members of the class, whose metadata unoptimized code would look up each time.
  /// No longer connected.
  @inlinable package static var disconnected: UInt8 { 0 }
  /// Connected, and the values are counted (``ObservedLink``).
  @inlinable package static var observed: UInt8 { 1 }
  /// Not yet connected.
  @inlinable package static var waiting: UInt8 { 2 }
  /// Connected to a publisher whose signals never overlap and that releases its subscriber when it's cancelled, or to any
  /// publisher if that doesn't matter to the subscriber.
  @inlinable package static var direct: UInt8 { 3 }
  /// Connected to a publisher about which nothing is known, so calls are counted (``CountedUpstreamLink``).
  @inlinable package static var counted: UInt8 { 4 }
}

extension UpstreamLink {
  /// The demand requested before there was a subscription. It's a separate object, because early requests are rare.
  private final class EarlyRequest: Subscription {
    // Exclusive: accessed only under the link's lock, which is never held while unknown code runs.
    /// Protected by the link's lock.
    @exclusivity(unchecked) var demand: Subscribers.Demand

    init(_ demand: Subscribers.Demand) { self.demand = demand }

    func request(_ demand: Subscribers.Demand) {}
    func cancel() {}
  }
}
