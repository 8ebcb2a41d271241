/// The only source of a machine.
@usableFromInline @frozen
struct OnlySource {
  @usableFromInline var subscription: SubscriptionObject?

  @inlinable init() {}

  /// Stores the subscription. Returns the demand to request, or `nil` to have the subscription cancelled, because there is
  /// one already.
  @inlinable
  mutating func connected(_ subscription: SubscriptionObject, requesting demand: Subscribers.Demand)
    -> Subscribers.Demand?
  {
    if self.subscription != nil { return nil }
    self.subscription = subscription
    return demand
  }

  @inlinable
  mutating func ended<Output, Failure>(_ reaction: inout Reaction<Output, Failure>) {
    reaction.release(subscription.take())
  }

  @inlinable
  mutating func cancel<Output, Failure>(_ reaction: inout Reaction<Output, Failure>) {
    reaction.cancel(subscription.take())
  }

  func tell(_ tell: StreamFact.Tell, slot: Int = 0) { if let subscription { tell(.upstream, slot, subscription) } }
}
