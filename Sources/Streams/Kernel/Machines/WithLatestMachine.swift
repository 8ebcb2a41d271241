/// Combines each element of one source with the newest element of another.
///
/// Unlimited demand is requested from the other source, because only its newest element is kept. Nothing is requested
/// from the first source before there is an element of the other, and what it sends nevertheless is dropped.
@usableFromInline
final class WithLatestMachine: CombiningMachine {
  /// The slot of the source whose elements each make an output.
  @usableFromInline static var main: Slot { 0 }

  /// The slot of the source whose newest element is kept.
  @usableFromInline static var other: Slot { 1 }

  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var hasNewest = false

  init() { super.init(count: 2) }

  /// Closed before the first element of the other source, because that element makes an effect.
  override var directPath: DirectPath { hasNewest ? .everySlot : .none }

  override func firstRequest(from slot: Slot) -> Subscribers.Demand {
    slot == Self.other ? .unlimited : hasNewest ? room : .none
  }

  override func requested(_ more: Subscribers.Demand, _ effects: inout Effects) {
    demand += more
    if hasNewest { effects.request(more, from: sources[Self.main]) }
  }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    if !hasNewest, slot == Self.other, sources.live.contains(slot) {
      hasNewest = true
      effects.request(room, from: sources[Self.main])
    }
    return combined(from: slot)
  }

  override func combined(from slot: Slot) -> Reception {
    guard sources.live.contains(slot), hasNewest else { return .refused }
    return slot == Self.main ? .completes : .setAside
  }

  override func canContinue(without slot: Slot) -> Bool { slot == Self.other && hasNewest }

  override func inspect(_ tell: StreamFact.Tell) {
    super.inspect(tell)
    if hasNewest { tell(.kept, Self.other.number, nil) }
  }
}
