/// A set of slots, implemented as a bit set.
@usableFromInline
package struct SlotSet: Equatable {
  // A whole word, although few bits are used, so a slot is accessed with one instruction.
  package var bits: UInt

  /// The maximum number of slots.
  @usableFromInline
  package static var capacity: Int { UInt.bitWidth - 1 }

  package init(first count: Int) {
    require(count <= Self.capacity, or: "A slot set holds at most \(Self.capacity) slots, got \(count).")
    bits = 1 &<< UInt(count) - 1
  }
  package init() { bits = 0 }
  package var isEmpty: Bool { bits == 0 }

  @inline(__always)
  package mutating func popFirst() -> Int? {
    if bits == 0 { return nil }
    defer { bits &= bits &- 1 }
    return bits.trailingZeroBitCount
  }

  @inline(__always)
  package func contains(_ slot: Int) -> Bool { bits & (1 &<< UInt(truncatingIfNeeded: slot)) != 0 }

  @inline(__always)
  package mutating func insert(_ slot: Int) { bits |= 1 &<< UInt(truncatingIfNeeded: slot) }

  @inline(__always)
  package mutating func remove(_ slot: Int) { bits &= ~(1 &<< UInt(truncatingIfNeeded: slot)) }

  /// Returns the set, with a slot added if a condition holds.
  @inline(__always)
  package func adding(_ slot: Int, if isAdded: Bool) -> SlotSet {
    var set = self
    if isAdded { set.insert(slot) }
    return set
  }

  package func union(_ other: SlotSet) -> SlotSet {
    var union = self
    union.bits |= other.bits
    return union
  }
}
