/// A set of the numbers of a few slots.
struct SlotSet: Equatable {
  // A whole word, so that a slot is one instruction away, though few are used.
  private var bits: UInt = 0

  /// How many slots there can be.
  static var capacity: Int { UInt.bitWidth - 1 }

  init() {}

  /// The first so many slots.
  init(first count: Int) {
    require(count <= Self.capacity, or: "A slot set holds \(Self.capacity) slots at most.")
    bits = 1 &<< UInt(count) - 1
  }

  var isEmpty: Bool { bits == 0 }

  @inline(__always)
  mutating func popFirst() -> Int? {
    if bits == 0 { return nil }
    defer { bits &= bits &- 1 }
    return bits.trailingZeroBitCount
  }

  @inline(__always)
  func contains(_ slot: Int) -> Bool { bits & (1 &<< UInt(truncatingIfNeeded: slot)) != 0 }

  @inline(__always)
  mutating func insert(_ slot: Int) { bits |= 1 &<< UInt(truncatingIfNeeded: slot) }

  @inline(__always)
  mutating func remove(_ slot: Int) { bits &= ~(1 &<< UInt(truncatingIfNeeded: slot)) }
}

/// A fixed number of sources.
struct FixedSources {
  private var subscriptions: [SubscriptionObject?]

  /// The slots whose sources have not ended.
  private(set) var live: SlotSet

  init(_ count: Int) {
    subscriptions = Array(repeating: nil, count: count)
    live = SlotSet(first: count)
  }

  mutating func connect(_ subscription: SubscriptionObject, to slot: Int) -> Bool {
    guard live.contains(slot), subscriptions[slot] == nil else { return false }
    subscriptions[slot] = subscription
    return true
  }

  /// Records that a source has ended, and moves its subscription to where it can be released outside the lock; returns
  /// whether that is news.
  mutating func end(_ slot: Int, _ released: inout SubscriptionObject?) -> Bool {
    guard live.contains(slot) else { return false }
    live.remove(slot)
    swap(&released, &subscriptions[slot])
    return true
  }

  /// The subscription of a source, from when it has connected until it ends.
  subscript(slot: Int) -> SubscriptionObject? { subscriptions[slot] }

  func forEach(_ body: (SubscriptionObject) -> Void) {
    for case let subscription? in subscriptions { body(subscription) }
  }

  /// Takes every source for ended, and returns the subscriptions.
  mutating func takeAll() -> [SubscriptionObject] {
    let taken = subscriptions.compactMap { $0 }
    live = SlotSet()
    for slot in subscriptions.indices { subscriptions[slot] = nil }
    return taken
  }
}
