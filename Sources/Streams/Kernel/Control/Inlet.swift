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
final class Inlet: Locked<Inlet.State>, Subscription {
  @usableFromInline
  struct State {
    var subscription: SubscriptionObject?
    /// What was asked for before there was a subscription.
    var demand = Subscribers.Demand.none
    /// Whether a subscription may still be taken.
    var isWaiting = true

    @usableFromInline
    init() {}
  }

  @usableFromInline
  let flag = Atomic(false)

  @usableFromInline
  init() { super.init(State()) }

  /// Whether signals from upstream are to be passed on.
  @inlinable
  var isConnected: Bool { flag.load(ordering: .relaxed) }

  /// Takes the subscription, unless there was one before or this has been cancelled: then it is cancelled at once.
  ///
  /// Returns whether it was taken. What was asked for before it came is asked for now.
  @usableFromInline
  func connect(_ subscription: any Subscription) -> Bool {
    var object: SubscriptionObject? = subscription._object
    let demand: Subscribers.Demand? = withLock { state in
      guard state.isWaiting else { return nil }
      state.isWaiting = false
      swap(&state.subscription, &object)
      flag.store(true, ordering: .relaxed)
      return state.demand
    }
    guard let demand else {
      subscription.cancel()
      return false
    }
    if demand != .none { subscription.request(demand) }
    return true
  }

  /// Passes a request on.
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    demand.requirePositive()
    let subscription = withLock { state in
      if state.isWaiting { state.demand += demand }
      return state.subscription
    }
    subscription?.request(demand)
  }

  /// Cancels upstream; the first to disconnect is the only one to do anything.
  @usableFromInline
  func cancel() { take()?.cancel() }

  /// Records that upstream has ended, and returns whether this is news.
  @usableFromInline @discardableResult
  func finish() -> Bool { take() != nil }

  /// Disconnects, and hands out the subscription the first time.
  @usableFromInline
  func take() -> SubscriptionObject? {
    withLock { state in
      flag.store(false, ordering: .relaxed)
      state.isWaiting = false
      return state.subscription.take()
    }
  }
}
