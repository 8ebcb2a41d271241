public import Synchronization

/// The upstream end of a subscriber: connects once, disconnects for good.
///
/// It is also what is handed to whoever may cancel, because it holds nothing but the way up: subscriptions point up,
/// subscribers point down, and the two meet only in a source, which lets go of its subscriber at the end. So no cycle
/// outlives the stream, and nothing that a user holds on to keeps closures alive.
///
/// A subscriber that ends early, or that must know on the value path whether it still is to pass values on, asks
/// ``isConnected``, which takes no lock.
@usableFromInline
class Inlet: Locked<Inlet.State>, Subscription {
  @usableFromInline
  struct State {
    /// While this is waiting, what was asked for before there was a subscription, if anything.
    var subscription: SubscriptionObject?
    /// Whether a subscription may still be taken.
    var isWaiting = true

    @usableFromInline
    init() {}
  }

  @usableFromInline
  final let link = Atomic(Link.none)

  @usableFromInline
  init() { super.init(State()) }

  /// Whether signals from upstream are to be passed on.
  @inlinable
  final var isConnected: Bool { link.load(ordering: .relaxed) != Link.none }

  /// Takes the subscription, unless there was one before or this has been cancelled: then it is cancelled at once.
  ///
  /// Returns whether it was taken. What was asked for before it came is asked for now.
  @usableFromInline
  func connect(_ subscription: any Subscription) -> Bool { connect(subscription, as: Link.direct) }

  final func connect(_ subscription: any Subscription, as kind: UInt8) -> Bool {
    var object: SubscriptionObject? = subscription._object
    let isTaken = withLock { state in
      guard state.isWaiting else { return false }
      state.isWaiting = false
      swap(&state.subscription, &object)
      link.store(kind, ordering: .relaxed)
      return true
    }
    if !isTaken {
      subscription.cancel()
    } else if let early = object as? EarlyRequest {
      subscription.request(early.demand)
    }
    return isTaken
  }

  /// Passes a request on.
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    demand.requirePositive()
    if isConnected, let subscription = withLock({ $0.subscription }) {
      return subscription.request(demand)
    }
    let early = EarlyRequest(demand)
    var displaced: SubscriptionObject?
    let subscription: SubscriptionObject? = withLock { state in
      guard state.isWaiting else { return state.subscription }
      if let earlier = state.subscription as? EarlyRequest { early.demand += earlier.demand }
      displaced = early
      swap(&displaced, &state.subscription)
      return nil
    }
    subscription?.request(demand)
    _ = displaced
  }

  /// Cancels upstream; the first to disconnect is the only one to do anything.
  @usableFromInline
  func cancel() { take()?.cancel() }

  /// Records that upstream has ended, and returns whether this is news.
  @usableFromInline @discardableResult
  final func finish() -> Bool { disconnect().isNews }

  /// Disconnects, and hands out the subscription the first time.
  @usableFromInline
  final func take() -> SubscriptionObject? {
    let (isNews, subscription) = disconnect()
    return isNews ? subscription : nil
  }

  private func disconnect() -> (isNews: Bool, subscription: SubscriptionObject?) {
    withLock { state in
      state.isWaiting = false
      return (link.exchange(Link.none, ordering: .relaxed) != Link.none, state.subscription.take())
    }
  }
}

/// How an inlet is connected to what is upstream.
@usableFromInline
enum Link {
  /// Not yet, or not any more.
  @inlinable static var none: UInt8 { 0 }
  /// To something whose signals never overlap, and that lets go of its subscriber when it is cancelled; or it does not
  /// matter.
  @inlinable static var direct: UInt8 { 1 }
  /// To something that may do anything, so that calls are counted; see ``Gate``.
  @inlinable static var counted: UInt8 { 2 }
}

/// Keeps what was asked for before there was a subscription. An object, because that hardly ever happens.
private final class EarlyRequest: Subscription {
  // Exclusive: accessed only under the inlet's lock, which is never held while unknown code runs.
  /// Protected by the lock of the inlet.
  @exclusivity(unchecked) var demand: Subscribers.Demand

  init(_ demand: Subscribers.Demand) { self.demand = demand }

  func request(_ demand: Subscribers.Demand) {}
  func cancel() {}
}
