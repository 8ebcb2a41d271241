/// Combines the newest elements of all sources whenever one of them sends an element.
///
/// Requests go to every source. An element that arrives without demand replaces the newest one of its source, and makes
/// no output of its own.
@usableFromInline
final class LatestMachine: CombiningMachine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  /// The slots whose sources have sent an element.
  @exclusivity(unchecked) private var filled = FixedSources.SlotSet()

  override var directPath: DirectPath { .everySlot }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception { combined(from: slot) }

  override func combined(from slot: Slot) -> Reception {
    guard sources.live.contains(slot) else { return .refused }
    filled.insert(slot)
    return filled == sources.all && (demand == .unlimited || room != .none) ? .completes : .setAside
  }

  override func canContinue(without slot: Slot) -> Bool { filled.contains(slot) && !sources.live.isEmpty }

  override func inspect(_ tell: StreamFact.Tell) {
    super.inspect(tell)
    var slots = filled
    while let slot = slots.popFirst() { tell(.kept, slot.number, nil) }
  }
}
