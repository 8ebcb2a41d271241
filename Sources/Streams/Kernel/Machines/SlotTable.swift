/// The subscriptions of a varying number of sources.
///
/// The number of a slot encodes its place and a generation that distinguishes the successive sources in that place: a
/// signal of a source that has ended finds its slot closed, even if another source uses the same place. A place becomes
/// free when its source has ended and none of its elements waits any more. The engine's lock protects the table, as
/// part of its machine.
struct SlotTable: ~Copyable {
  private struct Entry {
    /// The number of the slot, or its complement once the slot is closed.
    var number: Int
    var subscription: SubscriptionObject?
    /// The number of the source's elements that wait. In a free place, this is a link to the next free one: -1 if there
    /// is none, -2 for the first place, -3 for the second …
    var elements = 0
  }

  // Raw memory: an array has a header as large as a place, and checks its uniqueness. The numbers are small because
  // there is one table for each live stream.
  private var places: UnsafeMutablePointer<Entry>?
  private var count: Int32 = 0
  private var capacity: Int32 = 0
  /// The first free place, encoded like the links in `elements`.
  private var firstFree: Int32 = -1
  private var freed: Int32 = 0
  private var live: Int32 = 0

  /// Creates a table with open slots from 0 up to, but not including, `count`.
  init(open count: Int = 0) {
    if count == 0 { return }
    places = .allocate(capacity: count)
    capacity = Int32(count)
    for _ in 0..<count { _ = open() }
  }

  deinit { places?.deinitialize(count: Int(count)).deallocate() }

  /// The number of sources that may still send signals.
  var liveCount: Int { Int(live) }

  private static var generation: Int { 1 << 32 }

  /// Returns the place of a slot if it is open.
  @inline(__always)
  private func openPlace(_ slot: OldMachine.Slot) -> UnsafeMutablePointer<Entry>? {
    let index = slot.number & (Self.generation - 1)
    // Numbers that are not slots have an index that no place has.
    guard index < Int(count), let place = places.map({ $0 + index }), place.pointee.number == slot.number else {
      return nil
    }
    return place
  }

  /// Returns the place of a slot, open or closed, until the place is used again.
  private func place(of slot: OldMachine.Slot) -> UnsafeMutablePointer<Entry>? {
    let index = slot.number & (Self.generation - 1)
    guard slot.number >= 0, index < Int(count), let place = places.map({ $0 + index }) else { return nil }
    return place.pointee.number == slot.number || place.pointee.number == ~slot.number ? place : nil
  }

  /// Opens a slot. The first `n` slots that are opened have the numbers from 0 to `n - 1`.
  ///
  /// - Complexity: Amortized O(1).
  mutating func open() -> OldMachine.Slot {
    live &+= 1
    if firstFree != -1 {
      let place = places.unsafelyUnwrapped + Int(-2 &- firstFree)
      firstFree = Int32(truncatingIfNeeded: place.pointee.elements)
      place.pointee.elements = 0
      place.pointee.number = ~place.pointee.number &+ Self.generation
      return OldMachine.Slot(place.pointee.number)
    }
    if count == capacity { grow() }
    (places.unsafelyUnwrapped + Int(count)).initialize(to: Entry(number: Int(count)))
    count += 1
    return OldMachine.Slot(Int(count) - 1)
  }

  private mutating func grow() {
    capacity = max(2, capacity * 2)
    let larger = UnsafeMutablePointer<Entry>.allocate(capacity: Int(capacity))
    if let places {
      larger.moveInitialize(from: places, count: Int(count))
      places.deallocate()
    }
    places = larger
  }

  func isOpen(_ slot: OldMachine.Slot) -> Bool { openPlace(slot) != nil }

  func subscription(of slot: OldMachine.Slot) -> SubscriptionObject? { openPlace(slot)?.pointee.subscription }

  /// Stores the subscription of an open slot that has none yet.
  mutating func connect(_ subscription: SubscriptionObject, to slot: OldMachine.Slot) -> Bool {
    guard let place = openPlace(slot), place.pointee.subscription == nil else { return false }
    place.pointee.subscription = subscription
    return true
  }

  /// Closes a slot whose source has ended, and moves its subscription to `released`, to be released outside the lock.
  /// Returns whether the slot was open.
  mutating func close(_ slot: OldMachine.Slot, _ released: inout SubscriptionObject?) -> Bool {
    guard let place = openPlace(slot) else { return false }
    swap(&released, &place.pointee.subscription)
    place.pointee.number = ~slot.number
    live &-= 1
    if place.pointee.elements == 0 { free(place, of: slot) }
    return true
  }

  private mutating func free(_ place: UnsafeMutablePointer<Entry>, of slot: OldMachine.Slot) {
    place.pointee.elements = Int(firstFree)
    firstFree = -2 &- Int32(truncatingIfNeeded: slot.number & (Self.generation - 1))
    freed &+= 1
  }

  /// Returns the number of places that have become free since the last call.
  mutating func takeFreed() -> Int {
    defer { freed = 0 }
    return Int(freed)
  }

  /// Counts an element of a source that starts to wait.
  mutating func keepElement(of slot: OldMachine.Slot) { openPlace(slot)?.pointee.elements += 1 }

  /// Counts an element that no longer waits, whose source may have ended meanwhile.
  mutating func dropElement(of slot: OldMachine.Slot) {
    guard let place = place(of: slot), place.pointee.elements > 0 else { return }
    place.pointee.elements -= 1
    if place.pointee.elements == 0, place.pointee.number != slot.number { free(place, of: slot) }
  }

  /// Passes the existing subscriptions in the first places to a closure, until it returns false. Returns whether all of them
  /// have been passed.
  ///
  /// - Complexity: O(*n*), where *n* is the smaller one of the number of places and the limit.
  func forEach(inFirst limit: Int, _ body: (SubscriptionObject) -> Bool) -> Bool {
    for index in 0..<min(Int(count), limit) {
      if let subscription = places.unsafelyUnwrapped[index].subscription, !body(subscription) { return false }
    }
    return Int(count) <= limit
  }

  /// Passes the existing subscriptions to a closure.
  ///
  /// - Complexity: O(*n*), where *n* is the number of places.
  func forEach(_ body: (SubscriptionObject) -> Void) {
    for index in 0..<Int(count) {
      if let subscription = places.unsafelyUnwrapped[index].subscription { body(subscription) }
    }
  }

  /// Closes every slot, and passes the subscriptions to a closure.
  mutating func removeAll(_ body: (SubscriptionObject) -> Void) {
    var all = SlotTable()
    swap(&all, &self)
    all.forEach(body)
  }
}
