/// Puts one element of each source together.
///
/// Every source is asked for what downstream asks for, since each of its elements makes at most one set.
@usableFromInline
final class ZipMachine: Machine {
  @exclusivity(unchecked) private var sources: FixedSources
  @exclusivity(unchecked) private var counts: [Int]

  init(count: Int) {
    sources = FixedSources(count)
    counts = Array(repeating: 0, count: count)
  }

  override func connected(_ subscription: any Subscription, from slot: Int) {
    guard sources.connect(subscription, to: slot) else { return steps.cancel(subscription) }
    steps.request(room, from: subscription)
  }

  override func requested(_ more: Subscribers.Demand) {
    demand += more
    sources.forEach { steps.request(more, from: $0) }
  }

  override func received(from slot: Int) -> Reception {
    guard sources.isLive[slot] else { return .refused }
    counts[slot] += 1
    guard counts.allSatisfy({ $0 > 0 }) else { return .stored }
    waiting += 1
    for slot in counts.indices { counts[slot] -= 1 }
    finishIfNoSetCanFollow()
    return .storedThenConcluded
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    guard sources.end(slot, &steps) else { return .continues }
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
