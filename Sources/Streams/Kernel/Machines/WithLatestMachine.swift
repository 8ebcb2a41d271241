/// Combines each element of one source with the newest element of another.
///
/// Unlimited demand is requested from the other source, because only its newest element is kept. An element of the
/// first source that arrives before there is one of the other is dropped, and its demand is given back.
@usableFromInline
final class WithLatestMachine: Machine {
  /// The slot of the source whose elements each make an output.
  @usableFromInline static var main: Int { 0 }

  /// The slot of the source whose newest element is kept.
  @usableFromInline static var other: Int { 1 }

  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var sources = FixedSources(2)
  @exclusivity(unchecked) private var hasNewest = false

  override var directPath: DirectPath { .everySlot }

  override func connected(_ subscription: SubscriptionObject, from slot: Int) -> Subscribers.Demand? {
    guard sources.connect(subscription, to: slot) else { return nil }
    return slot == Self.main ? room : .unlimited
  }

  override func requested(_ more: Subscribers.Demand) {
    demand += more
    steps.request(more, from: sources[Self.main])
  }

  override func received(from slot: Int) -> Reception {
    guard sources.live.contains(slot) else { return .refused }
    if slot == Self.other {
      hasNewest = true
      return .setAside
    }
    if hasNewest { return .completes }
    if demand != .unlimited { steps.request(.max(1), from: sources[Self.main]) }
    return .refused
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    guard sources.end(slot, &steps.released) else { return .continues }
    if failed { return fail() }
    if slot == Self.main || !hasNewest { finishCancellingSources() }
    return .continues
  }

  override func dismantle() { sources.takeAll { steps.cancel($0) } }
}
