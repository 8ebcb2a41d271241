/// Combines one element of each source into an output.
///
/// Every request from downstream goes to every source, because each element is part of at most one output.
@usableFromInline
final class ZipMachine: CombiningMachine {
  /// The number of waiting elements of each source. Allocated separately, because it is accessed for every element.
  private let counts: UnsafeMutablePointer<Int>
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  /// The slots with at least one waiting element.
  @exclusivity(unchecked) private var filled = FixedSources.SlotSet()

  override init(count: Int) {
    counts = .allocate(capacity: count)
    counts.initialize(repeating: 0, count: count)
    super.init(count: count)
  }

  deinit { counts.deallocate() }

  /// Closed once a source has ended, because the stream then finishes with the last output that can be made.
  override var directPath: DirectPath { sources.live == sources.all ? .everySlot : .none }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    guard sources.live.contains(slot) else { return .refused }
    let reception = combined(from: slot)
    if reception == .completes, !canContinue(without: slot) { finishCancellingSources(&effects) }
    return reception
  }

  override func combined(from slot: Slot) -> Reception {
    var newFilled = filled
    newFilled.insert(slot)
    guard newFilled == sources.all else {
      filled = newFilled
      counts[slot.number] &+= 1
      return .setAside
    }
    // Only this element was missing, so no other element of its source waits.
    var others = filled
    while let other = others.popFirst() {
      counts[other.number] &-= 1
      if counts[other.number] == 0 { filled.remove(other) }
    }
    return .completes
  }

  override func canContinue(without slot: Slot) -> Bool { sources.live.union(filled) == sources.all }

  override func inspect(_ tell: StreamFact.Tell) {
    super.inspect(tell)
    var slots = filled
    while let slot = slots.popFirst() {
      tell(.kept, slot.number, nil)
      tell(.amount, counts[slot.number], nil)
    }
  }
}
