/// Puts the newest elements of all sources together whenever one of them sends one.
///
/// Requests go to every source. An element that comes while downstream wants nothing replaces the newest one of its
/// source, and makes no set of its own.
@usableFromInline
final class LatestMachine: Machine {
  @exclusivity(unchecked) private var sources: FixedSources
  @exclusivity(unchecked) private var hasElement: [Bool]
  /// How many sources have sent nothing yet.
  @exclusivity(unchecked) private var missing: Int

  init(count: Int) {
    sources = FixedSources(count)
    hasElement = Array(repeating: false, count: count)
    missing = count
  }

  override var directSlots: DirectSlots { .all }

  override func connected(_ subscription: SubscriptionObject, from slot: Int) -> Subscribers.Demand? {
    guard sources.connect(subscription, to: slot) else { return nil }
    return room
  }

  override func requested(_ more: Subscribers.Demand) {
    demand += more
    sources.forEach { steps.request(more, from: $0) }
  }

  override func received(from slot: Int) -> Reception {
    guard sources.isLive[slot] else { return .refused }
    if !hasElement[slot] {
      hasElement[slot] = true
      missing -= 1
    }
    guard missing == 0, room != .none else { return .stored }
    waiting += 1
    return .storedThenConcluded
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    guard sources.end(slot, &released) else { return .continues }
    if failed { return fail() }
    if !hasElement[slot] || sources.liveCount == 0 {
      isFinishing = true
      dismantle()
    }
    return .continues
  }

  override func dismantle() { sources.takeAll().forEach { steps.cancel($0) } }
}
