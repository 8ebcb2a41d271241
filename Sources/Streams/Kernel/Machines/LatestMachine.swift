/// Combines the newest elements of all sources whenever one of them sends an element.
///
/// Requests go to every source. An element that arrives without demand replaces the newest one of its source, and makes
/// no output of its own.
@usableFromInline
final class LatestMachine: Machine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var sources: FixedSources
  /// The slots whose sources have sent an element.
  @exclusivity(unchecked) private var filled = SlotSet()

  init(count: Int) {
    sources = FixedSources(count)
  }

  override var directPath: DirectPath { .everySlot }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ steps: inout Steps
  ) -> Subscribers.Demand? {
    guard sources.connect(subscription, to: slot) else { return nil }
    return room
  }

  override func requested(_ more: Subscribers.Demand, _ steps: inout Steps) {
    demand += more
    sources.forEach { steps.request(more, from: $0) }
  }

  override func received(from slot: Int, _ steps: inout Steps) -> Reception { combined(from: slot) }

  override func combined(from slot: Int) -> Reception {
    guard sources.live.contains(slot) else { return .refused }
    filled.insert(slot)
    return filled == sources.all && (demand == .unlimited || room != .none) ? .completes : .setAside
  }

  override func ended(_ slot: Int, failed: Bool, _ steps: inout Steps) -> Ending {
    guard sources.end(slot, &steps.released) else { return .continues }
    if failed { return fail(&steps) }
    if !filled.contains(slot) || sources.live.isEmpty { finishCancellingSources(&steps) }
    return .continues
  }

  override func dismantle(_ steps: inout Steps) { sources.takeAll { steps.cancel($0) } }
}
