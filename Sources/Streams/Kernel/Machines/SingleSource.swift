/// The subscription of a source, which connects once and ends once.
struct SingleSource: ~Copyable {
  private(set) var subscription: SubscriptionObject?
  /// Indicates whether the source has neither ended nor been cancelled.
  private(set) var isLive = true

  mutating func connect(_ subscription: SubscriptionObject) -> Bool {
    guard isLive, self.subscription == nil else { return false }
    self.subscription = subscription
    return true
  }

  /// Records that the source has ended. Returns false if that was known, or it was cancelled.
  mutating func end(_ effects: inout Effects) -> Bool {
    guard isLive else { return false }
    isLive = false
    effects.release(subscription.take())
    return true
  }

  mutating func cancel(_ effects: inout Effects) {
    isLive = false
    effects.cancel(subscription.take())
  }
}
