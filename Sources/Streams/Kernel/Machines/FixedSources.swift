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

/// The subscriptions of a fixed number of sources.
struct FixedSources: ~Copyable {
  // Most operators have two sources, which need no allocation.
  private var first: SubscriptionObject?
  private var second: SubscriptionObject?
  private var others: [SubscriptionObject?] = []

  /// The slots whose sources have not ended.
  private(set) var live: SlotSet

  /// All slots.
  let all: SlotSet

  init(_ count: Int) {
    all = SlotSet(first: count)
    live = all
    if count > 2 { others = Array(repeating: nil, count: count - 2) }
  }

  private mutating func exchange(_ slot: OldMachine.Slot, _ subscription: inout SubscriptionObject?) {
    switch slot.number {
    case 0: swap(&first, &subscription)
    case 1: swap(&second, &subscription)
    default: swap(&others[slot.number - 2], &subscription)
    }
  }

  mutating func connect(_ subscription: SubscriptionObject, to slot: OldMachine.Slot) -> Bool {
    guard live.contains(slot), self[slot] == nil else { return false }
    var subscription: SubscriptionObject? = subscription
    exchange(slot, &subscription)
    return true
  }

  /// Records that a source has ended, and moves its subscription to `released`, to be released outside the lock.
  /// Returns false if the source had already ended.
  mutating func end(_ slot: OldMachine.Slot, _ released: inout SubscriptionObject?) -> Bool {
    guard live.contains(slot) else { return false }
    live.remove(slot)
    exchange(slot, &released)
    return true
  }

  /// The subscription of a source, from the time it connects until it ends.
  subscript(slot: OldMachine.Slot) -> SubscriptionObject? {
    switch slot.number {
    case 0: first
    case 1: second
    default: others[slot.number - 2]
    }
  }

  func forEach(_ body: (SubscriptionObject) -> Void) {
    var slots = live
    while let slot = slots.popFirst() {
      if let subscription = self[slot] { body(subscription) }
    }
  }

  /// Marks every source as ended, and passes the subscriptions to a closure.
  mutating func takeAll(_ body: (SubscriptionObject) -> Void) {
    while let slot = live.popFirst() {
      var subscription: SubscriptionObject?
      exchange(slot, &subscription)
      if let subscription { body(subscription) }
    }
  }
}

extension FixedSources {
  /// A set of slot numbers, implemented as a bit set.
  struct SlotSet: Equatable {
    // A whole word, so that a slot is accessed with one instruction, though few bits are used.
    private var bits: UInt = 0

    /// The maximum number of slots.
    static var capacity: Int { UInt.bitWidth - 1 }

    /// Creates a set of the first `count` slots.
    init(first count: Int = 0) {
      require(count <= Self.capacity, or: "A slot set holds at most \(Self.capacity) slots, got \(count).")
      bits = 1 &<< UInt(count) - 1
    }

    var isEmpty: Bool { bits == 0 }

    @inline(__always)
    mutating func popFirst() -> OldMachine.Slot? {
      if bits == 0 { return nil }
      defer { bits &= bits &- 1 }
      return OldMachine.Slot(bits.trailingZeroBitCount)
    }

    @inline(__always)
    func contains(_ slot: OldMachine.Slot) -> Bool { bits & (1 &<< UInt(truncatingIfNeeded: slot.number)) != 0 }

    @inline(__always)
    mutating func insert(_ slot: OldMachine.Slot) { bits |= 1 &<< UInt(truncatingIfNeeded: slot.number) }

    func union(_ other: SlotSet) -> SlotSet {
      var union = self
      union.bits |= other.bits
      return union
    }

    @inline(__always)
    mutating func remove(_ slot: OldMachine.Slot) { bits &= ~(1 &<< UInt(truncatingIfNeeded: slot.number)) }
  }
}
