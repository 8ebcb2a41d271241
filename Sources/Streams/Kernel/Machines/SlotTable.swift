/// The subscriptions of a changing number of sources.
///
/// A slot's number says where its subscription is, and which of those that were there one after the other it is: a
/// signal of a source that has ended finds its slot closed, also when another source uses the same place.
struct SlotTable {
  private struct Place {
    var slot: Int
    var subscription: SubscriptionObject?
    var isOpen = true
    /// Of a closed place, the next closed one, or -1.
    var next = -1
  }

  private var places: [Place] = []
  private var firstClosed = -1

  /// How many sources may still send something.
  private(set) var liveCount = 0

  private static var generation: Int { 1 << 32 }

  private func index(of slot: Int) -> Int? {
    let index = slot & (Self.generation - 1)
    guard slot >= 0, index < places.count, places[index].slot == slot, places[index].isOpen else { return nil }
    return index
  }

  /// Opens a slot; the first `n` that are opened have the numbers from 0 to `n - 1`.
  mutating func open() -> Int {
    liveCount += 1
    guard firstClosed >= 0 else {
      places.append(Place(slot: places.count))
      return places.count - 1
    }
    let index = firstClosed
    firstClosed = places[index].next
    places[index].slot += Self.generation
    places[index].isOpen = true
    return places[index].slot
  }

  func isOpen(_ slot: Int) -> Bool { index(of: slot) != nil }

  func subscription(of slot: Int) -> SubscriptionObject? { index(of: slot).flatMap { places[$0].subscription } }

  /// Keeps the subscription of an open slot that has none yet.
  mutating func connect(_ subscription: SubscriptionObject, to slot: Int) -> Bool {
    guard let index = index(of: slot), places[index].subscription == nil else { return false }
    places[index].subscription = subscription
    return true
  }

  /// Closes a slot whose source has ended, and moves its subscription to where it can be released outside the lock; returns
  /// whether the slot was open.
  mutating func close(_ slot: Int, _ released: inout SubscriptionObject?) -> Bool {
    guard let index = index(of: slot) else { return false }
    swap(&released, &places[index].subscription)
    places[index].isOpen = false
    places[index].next = firstClosed
    firstClosed = index
    liveCount -= 1
    return true
  }

  func forEach(_ body: (SubscriptionObject) -> Void) {
    for place in places {
      if let subscription = place.subscription { body(subscription) }
    }
  }

  /// Closes every slot and returns the subscriptions.
  mutating func removeAll() -> [SubscriptionObject] {
    defer { self = SlotTable() }
    return places.compactMap(\.subscription)
  }
}
