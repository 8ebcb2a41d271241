/// The subscriptions of a fixed number of sources, each of which connects once and ends once.
package struct FixedSources: ~Copyable {
  // Most operators have two sources, which need no allocation.
  private var first: SubscriptionObject?
  private var second: SubscriptionObject?
  private var others: [SubscriptionObject?] = []

  /// The slots whose sources haven't ended.
  package private(set) var live: SlotSet

  package let all: SlotSet

  package init(_ count: Int) {
    all = SlotSet(first: count)
    live = all
    if count > 2 { others = Array(repeating: nil, count: count - 2) }
  }

  private mutating func exchange(_ slot: Int, _ subscription: inout SubscriptionObject?) {
    switch slot {
    case 0: swap(&first, &subscription)
    case 1: swap(&second, &subscription)
    default: swap(&others[slot - 2], &subscription)
    }
  }

  /// The subscription of a source, from the time it connects until it ends.
  package subscript(slot: Int) -> SubscriptionObject? {
    switch slot {
    case 0: first
    case 1: second
    default: others[slot - 2]
    }
  }

  /// Stores the subscription of a source. Returns the demand to request, or `nil` to cancel the subscription.
  package mutating func connected(
    _ subscription: SubscriptionObject, to slot: Int, requesting demand: Subscribers.Demand
  )
    -> Subscribers.Demand?
  {
    guard live.contains(slot), self[slot] == nil else { return nil }
    var subscription: SubscriptionObject? = subscription
    exchange(slot, &subscription)
    return demand
  }

  /// Records that a source has ended. Returns false if it had already ended.
  package mutating func ended(_ slot: Int, _ reaction: inout Reaction) -> Bool {
    guard live.contains(slot) else { return false }
    live.remove(slot)
    var subscription: SubscriptionObject?
    exchange(slot, &subscription)
    reaction.release(subscription)
    return true
  }

  package func request(_ demand: Subscribers.Demand, _ reaction: inout Reaction) {
    var slots = live
    while let slot = slots.popFirst() { reaction.request(demand, from: self[slot]) }
  }

  package mutating func cancel(_ reaction: inout Reaction) {
    while let slot = live.popFirst() {
      var subscription: SubscriptionObject?
      exchange(slot, &subscription)
      reaction.cancel(subscription)
    }
  }

  package func tell(_ tell: StreamFact.Tell) {
    var slots = all
    while let slot = slots.popFirst() {
      let isLive = live.contains(slot)
      tell(isLive ? .upstream : .ended, slot, isLive ? self[slot] : nil)
    }
  }
}
