/// A source that connects once and ends once.
package struct SingleSource {
  /// The subscription, from the time the source connects until it ends.
  package var subscription: SubscriptionObject?
  /// Indicates whether the source has neither ended nor been cancelled.
  package var isLive: Bool

  package init(isLive: Bool = true) { self.isLive = isLive }

  /// Stores the subscription. Returns the demand to request, or `nil` to cancel the subscription.
  package mutating func connected(_ subscription: SubscriptionObject, requesting demand: Subscribers.Demand)
    -> Subscribers.Demand?
  {
    guard isLive, self.subscription == nil else { return nil }
    self.subscription = subscription
    return demand
  }

  /// Records that the source has ended. Returns false if it had already ended, or was cancelled.
  @discardableResult
  package mutating func ended(_ reaction: inout Reaction) -> Bool {
    guard isLive else { return false }
    isLive = false
    reaction.release(subscription.take())
    return true
  }

  package mutating func cancel(_ reaction: inout Reaction) {
    isLive = false
    reaction.cancel(subscription.take())
  }

  package func tell(_ tell: StreamFact.Tell, slot: Int = 0) { tell(isLive ? .upstream : .ended, slot, subscription) }
}
