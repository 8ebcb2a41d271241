/// Combines each element of one source with the newest element of another.
///
/// Unlimited demand is requested from the other source, because only its newest element is kept. Nothing is requested
/// from the first source before there is an element of the other, and what it sends nevertheless is dropped.
@usableFromInline
final class WithLatestMachine: Machine {
  /// The slot of the source whose elements each make an output.
  @usableFromInline static var main: Int { 0 }

  /// The slot of the source whose newest element is kept.
  @usableFromInline static var other: Int { 1 }

  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var sources = FixedSources(2)
  @exclusivity(unchecked) private var hasNewest = false

  /// Closed before the first element of the other source, because that element makes a step.
  override var directPath: DirectPath { hasNewest ? .everySlot : .none }

  override func connected(_ subscription: SubscriptionObject, from slot: Int) -> Subscribers.Demand? {
    guard sources.connect(subscription, to: slot) else { return nil }
    return slot == Self.other ? .unlimited : hasNewest ? room : Subscribers.Demand.none
  }

  override func requested(_ more: Subscribers.Demand) {
    demand += more
    if hasNewest { steps.request(more, from: sources[Self.main]) }
  }

  override func received(from slot: Int) -> Reception {
    guard sources.live.contains(slot) else { return .refused }
    if slot == Self.main { return hasNewest ? .completes : .refused }
    if !hasNewest {
      hasNewest = true
      steps.request(room, from: sources[Self.main])
    }
    return .setAside
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    guard sources.end(slot, &steps.released) else { return .continues }
    if failed { return fail() }
    if slot == Self.main || !hasNewest { finishCancellingSources() }
    return .continues
  }

  override func dismantle() { sources.takeAll { steps.cancel($0) } }
}
