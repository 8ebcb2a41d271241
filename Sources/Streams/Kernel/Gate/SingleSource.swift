/// A source that connects once and ends once.
@usableFromInline @frozen
package struct SingleSource {
  /// The subscription, from the time the source connects until it ends.
  @usableFromInline package var subscription: SubscriptionObject?
  /// Indicates whether the source has neither ended nor been cancelled.
  @usableFromInline package var isLive: Bool

  @inlinable
  package init(isLive: Bool = true) { self.isLive = isLive }

  /// Stores the subscription. Returns the demand to request, or `nil` to have the subscription cancelled.
  @inlinable
  package mutating func connected(_ subscription: SubscriptionObject, requesting demand: Subscribers.Demand)
    -> Subscribers.Demand?
  {
    guard isLive, self.subscription == nil else { return nil }
    self.subscription = subscription
    return demand
  }

  /// Records that the source has ended. Returns false if it had already ended, or was cancelled.
  @inlinable @discardableResult
  package mutating func ended<Output, Failure>(_ reaction: inout Reaction<Output, Failure>) -> Bool {
    var ended: SubscriptionObject?
    guard end(&ended) else { return false }
    reaction.release(ended)
    return true
  }

  /// Records that the source has ended, and hands its subscription over. Returns false if it had already ended, or was cancelled.
  @inlinable
  package mutating func end(_ ended: inout SubscriptionObject?) -> Bool {
    guard isLive else { return false }
    isLive = false
    swap(&subscription, &ended)
    return true
  }

  @inlinable
  package mutating func cancel<Output, Failure>(_ reaction: inout Reaction<Output, Failure>) {
    isLive = false
    reaction.cancel(subscription.take())
  }

  /// Records that the source has ended. Returns false if it had already ended, or was cancelled.
  @discardableResult
  package mutating func ended(_ reaction: inout ByteReaction) -> Bool {
    var ended: SubscriptionObject?
    guard end(&ended) else { return false }
    reaction.release(ended)
    return true
  }

  package mutating func cancel(_ reaction: inout ByteReaction) {
    isLive = false
    reaction.cancel(subscription.take())
  }

  package func tell(_ tell: StreamFact.Tell, slot: Int = 0) { tell(isLive ? .upstream : .ended, slot, subscription) }
}
