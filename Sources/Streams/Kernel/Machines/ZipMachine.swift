/// Puts one element of each source together.
///
/// Every source is asked for what downstream asks for, since each of its elements makes at most one set.
@usableFromInline
final class ZipMachine: Machine {
  @exclusivity(unchecked) private var sources: FixedSources
  @exclusivity(unchecked) private var counts: [Int]
  /// How many sources have no element that waits.
  @exclusivity(unchecked) private var missing: Int

  init(count: Int) {
    sources = FixedSources(count)
    counts = Array(repeating: 0, count: count)
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
    counts[slot] += 1
    if counts[slot] == 1 { missing -= 1 }
    guard missing == 0 else { return .stored }
    waiting += 1
    for slot in counts.indices {
      counts[slot] -= 1
      if counts[slot] == 0 { missing += 1 }
    }
    if sources.liveCount < counts.count { finishIfNoSetCanFollow() }
    return .storedThenConcluded
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    guard sources.end(slot, &released) else { return .continues }
    if failed { return fail() }
    finishIfNoSetCanFollow()
    return .continues
  }

  private func finishIfNoSetCanFollow() {
    guard counts.indices.contains(where: { !sources.isLive[$0] && counts[$0] == 0 }) else { return }
    isFinishing = true
    dismantle()
  }

  override func dismantle() { sources.takeAll().forEach { steps.cancel($0) } }
}
