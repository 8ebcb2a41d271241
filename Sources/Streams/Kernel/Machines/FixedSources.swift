/// A fixed number of sources.
struct FixedSources {
  private var subscriptions: [(any Subscription)?]
  private(set) var isLive: [Bool]

  init(_ count: Int) {
    subscriptions = Array(repeating: nil, count: count)
    isLive = Array(repeating: true, count: count)
  }

  mutating func connect(_ subscription: any Subscription, to slot: Int) -> Bool {
    guard isLive[slot], subscriptions[slot] == nil else { return false }
    subscriptions[slot] = subscription
    return true
  }

  /// Records that a source has ended; returns whether that is news. Its subscription is let go of in a step.
  mutating func end(_ slot: Int, _ steps: inout Steps) -> Bool {
    guard isLive[slot] else { return false }
    isLive[slot] = false
    steps.release(subscriptions[slot].take())
    return true
  }

  func forEach(_ body: (any Subscription) -> Void) {
    for case let subscription? in subscriptions { body(subscription) }
  }

  /// Takes every source for ended, and returns the subscriptions.
  mutating func takeAll() -> [any Subscription] {
    let taken = subscriptions.compactMap { $0 }
    for slot in isLive.indices {
      isLive[slot] = false
      subscriptions[slot] = nil
    }
    return taken
  }
}
