/// Puts the newest elements of all sources together whenever one of them sends one.
///
/// Requests go to every source. An element that comes while downstream wants nothing replaces the newest one of its
/// source, and makes no set of its own.
@usableFromInline
final class LatestMachine: Machine {
  @exclusivity(unchecked) private var sources: FixedSources
  @exclusivity(unchecked) private var hasElement: [Bool]

  init(count: Int) {
    sources = FixedSources(count)
    hasElement = Array(repeating: false, count: count)
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
    hasElement[slot] = true
    guard room != .none, hasElement.allSatisfy({ $0 }) else { return .stored }
    waiting += 1
    return .storedThenConcluded
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    guard sources.end(slot, &steps) else { return .continues }
    if failed { return fail() }
    if !hasElement[slot] || !sources.isLive.contains(true) {
      isFinishing = true
      dismantle()
    }
    return .continues
  }

  override func dismantle() { sources.takeAll().forEach { steps.cancel($0) } }
}
