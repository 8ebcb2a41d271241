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
    /// The empty one when there is none.
    var subscription: any Subscription = EmptySubscription()
    /// What was asked for before there was a subscription.
    var demand = Subscribers.Demand.none
    var isConnected = false
    var isDisconnected = false

    @usableFromInline
    init() {}
  }

  @usableFromInline
  let flag = Atomic(false)

  @inlinable
  init() { super.init(State()) }

  /// Whether signals from upstream are to be passed on.
  @inlinable
  var isConnected: Bool { flag.load(ordering: .relaxed) }

  /// Takes the subscription, unless there was one before or this has been cancelled: then it is cancelled at once.
  ///
  /// Returns whether it was taken. What was asked for before it came is asked for now.
  @usableFromInline
  func connect(_ subscription: any Subscription) -> Bool {
    var kept = subscription
    let demand: Subscribers.Demand? = withLock { state in
      guard !state.isDisconnected, !state.isConnected else { return nil }
      state.isConnected = true
      swap(&kept, &state.subscription)
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
      if !state.isConnected { state.demand += demand }
      return state.subscription
    }
    subscription.request(demand)
  }

  /// Cancels upstream; the first to disconnect is the only one to do anything.
  @usableFromInline
  func cancel() {
    // Swapped, because that moves the subscription; taking it out copies it first.
    var subscription: any Subscription = EmptySubscription()
    withLock { state in
      state.disconnect(flag)
      swap(&subscription, &state.subscription)
    }
    subscription.cancel()
  }

  /// Records that upstream has ended, and returns whether this is news.
  @usableFromInline @discardableResult
  func finish() -> Bool {
    var subscription: any Subscription = EmptySubscription()
    return withLock { state in
      defer { state.disconnect(flag) }
      swap(&subscription, &state.subscription)
      return state.isConnected && !state.isDisconnected
    }
  }

  /// Disconnects, and hands out the subscription the first time.
  @usableFromInline
  func take() -> (any Subscription)? {
    var subscription: any Subscription = EmptySubscription()
    let isNews = withLock { state in
      defer { state.disconnect(flag) }
      swap(&subscription, &state.subscription)
      return state.isConnected && !state.isDisconnected
    }
    return isNews ? subscription : nil
  }
}

extension Inlet.State {
  fileprivate mutating func disconnect(_ flag: borrowing Atomic<Bool>) {
    flag.store(false, ordering: .relaxed)
    isDisconnected = true
  }
}
