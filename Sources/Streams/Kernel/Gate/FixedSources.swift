/// The subscriptions of a fixed number of sources, each of which connects once and ends once.
@usableFromInline @frozen
package struct FixedSources: ~Copyable {
  // Most operators have two sources, which need no allocation.
  @usableFromInline package var first: SubscriptionObject?
  @usableFromInline package var second: SubscriptionObject?
  @usableFromInline package var others: [SubscriptionObject?] = []

  /// The slots whose sources have not ended.
  @usableFromInline package var live: SlotSet

  /// All slots.
  @usableFromInline package let all: SlotSet

  @usableFromInline
  package init(_ count: Int) {
    all = SlotSet(first: count)
    live = all
    if count > 2 { others = Array(repeating: nil, count: count - 2) }
  }

  @usableFromInline
  package mutating func exchange(_ slot: Int, _ subscription: inout SubscriptionObject?) {
    switch slot {
    case 0: swap(&first, &subscription)
    case 1: swap(&second, &subscription)
    default: swap(&others[slot - 2], &subscription)
    }
  }

  /// The subscription of a source, from the time it connects until it ends.
  @usableFromInline
  package subscript(slot: Int) -> SubscriptionObject? {
    switch slot {
    case 0: first
    case 1: second
    default: others[slot - 2]
    }
  }

  /// Stores the subscription of a source. Returns the demand to request, or `nil` to have the subscription cancelled.
  @usableFromInline
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
  @usableFromInline
  package mutating func ended<Output, Failure>(_ slot: Int, _ reaction: inout Reaction<Output, Failure>) -> Bool {
    guard live.contains(slot) else { return false }
    live.remove(slot)
    var subscription: SubscriptionObject?
    exchange(slot, &subscription)
    reaction.release(subscription)
    return true
  }

  /// Requests elements of every source.
  @usableFromInline
  package func request<Output, Failure>(_ demand: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {
    var slots = live
    while let slot = slots.popFirst() { reaction.request(demand, from: self[slot]) }
  }

  /// Cancels every source.
  @usableFromInline
  package mutating func cancel<Output, Failure>(_ reaction: inout Reaction<Output, Failure>) {
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

/// A set of slots, implemented as a bit set.
@usableFromInline @frozen
package struct SlotSet: Equatable {
  // A whole word, so that a slot is accessed with one instruction, though few bits are used.
  @usableFromInline package var bits: UInt

  /// The maximum number of slots.
  @usableFromInline
  package static var capacity: Int { UInt.bitWidth - 1 }

  /// Creates a set of the first `count` slots.
  @usableFromInline
  package init(first count: Int) {
    require(count <= Self.capacity, or: "A slot set holds at most \(Self.capacity) slots, got \(count).")
    bits = 1 &<< UInt(count) - 1
  }

  @inlinable
  package init() { bits = 0 }

  @inlinable
  package var isEmpty: Bool { bits == 0 }

  @inlinable @inline(__always)
  package mutating func popFirst() -> Int? {
    if bits == 0 { return nil }
    defer { bits &= bits &- 1 }
    return bits.trailingZeroBitCount
  }

  @inlinable @inline(__always)
  package func contains(_ slot: Int) -> Bool { bits & (1 &<< UInt(truncatingIfNeeded: slot)) != 0 }

  @inlinable @inline(__always)
  package mutating func insert(_ slot: Int) { bits |= 1 &<< UInt(truncatingIfNeeded: slot) }

  @inlinable @inline(__always)
  package mutating func remove(_ slot: Int) { bits &= ~(1 &<< UInt(truncatingIfNeeded: slot)) }

  /// Returns the set with another slot, if a condition holds.
  @inlinable @inline(__always)
  package func adding(_ slot: Int, if isAdded: Bool) -> SlotSet {
    var set = self
    if isAdded { set.insert(slot) }
    return set
  }

  @inlinable
  package func union(_ other: SlotSet) -> SlotSet {
    var union = self
    union.bits |= other.bits
    return union
  }
}
