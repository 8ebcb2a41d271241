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
    guard sources.isLive[slot], !isFinishing else { return .refused }
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

/// A fixed number of sources.
struct FixedSources {
  private var subscriptions: [(any Subscription)?]
  private(set) var isLive: [Bool]

  init(_ count: Int) {
    subscriptions = Array(repeating: nil, count: count)
    isLive = Array(repeating: true, count: count)
  }

  mutating func connect(_ subscription: any Subscription, to slot: Int) -> Bool {
    guard isLive[slot], subscriptions[slot] == nil else { return false }
    subscriptions[slot] = subscription
    return true
  }

  /// Records that a source has ended; returns whether that is news. Its subscription is let go of in a step.
  mutating func end(_ slot: Int, _ steps: inout Steps) -> Bool {
    guard isLive[slot] else { return false }
    isLive[slot] = false
    steps.release(subscriptions[slot].take())
    return true
  }

  func forEach(_ body: (any Subscription) -> Void) {
    for case let subscription? in subscriptions { body(subscription) }
  }

  mutating func takeAll() -> [any Subscription] {
    defer { self = FixedSources(subscriptions.count) }
    return subscriptions.compactMap { $0 }
  }
}
