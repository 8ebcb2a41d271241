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
  enum State {
    /// There is no subscription yet; so much has been asked for.
    case waiting(Subscribers.Demand)
    case connected(any Subscription)
    case disconnected
  }

  @usableFromInline
  let flag = Atomic(false)

  @inlinable
  init() { super.init(.waiting(.none)) }

  /// Whether signals from upstream are to be passed on.
  @inlinable
  var isConnected: Bool { flag.load(ordering: .relaxed) }

  /// Takes the subscription, unless there was one before or this has been cancelled: then it is cancelled at once.
  ///
  /// Returns whether it was taken. What was asked for before it came is asked for now.
  @usableFromInline
  func connect(_ subscription: any Subscription) -> Bool {
    var connected = State.connected(subscription)
    let demand: Subscribers.Demand? = withLock { state in
      guard case .waiting(let demand) = state else { return nil }
      swap(&state, &connected)
      flag.store(true, ordering: .relaxed)
      return demand
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
    let subscription: (any Subscription)? = withLock { state in
      switch state {
      case .waiting(let earlier):
        state = .waiting(earlier + demand)
        return nil
      case .connected(let subscription): return subscription
      case .disconnected: return nil
      }
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
  func take() -> (any Subscription)? {
    // Swapped, because that moves the subscription; taking it out would copy it first.
    var state = State.disconnected
    withLock {
      swap(&state, &$0)
      flag.store(false, ordering: .relaxed)
    }
    switch consume state {
    case .connected(let subscription): return subscription
    case .waiting, .disconnected: return nil
    }
  }
}
