/// A fixed number of sources.
struct FixedSources {
  private var subscriptions: [SubscriptionObject?]
  private(set) var isLive: [Bool]
  private(set) var liveCount: Int

  init(_ count: Int) {
    subscriptions = Array(repeating: nil, count: count)
    isLive = Array(repeating: true, count: count)
    liveCount = count
  }

  mutating func connect(_ subscription: SubscriptionObject, to slot: Int) -> Bool {
    guard isLive[slot], subscriptions[slot] == nil else { return false }
    subscriptions[slot] = subscription
    return true
  }

  /// Records that a source has ended, and moves its subscription to where it can be released outside the lock; returns
  /// whether that is news.
  mutating func end(_ slot: Int, _ released: inout SubscriptionObject?) -> Bool {
    guard isLive[slot] else { return false }
    isLive[slot] = false
    liveCount -= 1
    swap(&released, &subscriptions[slot])
    return true
  }

  func forEach(_ body: (SubscriptionObject) -> Void) {
    for case let subscription? in subscriptions { body(subscription) }
  }

  /// Takes every source for ended, and returns the subscriptions.
  mutating func takeAll() -> [SubscriptionObject] {
    let taken = subscriptions.compactMap { $0 }
    liveCount = 0
    for slot in isLive.indices {
      isLive[slot] = false
      subscriptions[slot] = nil
    }
    return taken
  }
}
