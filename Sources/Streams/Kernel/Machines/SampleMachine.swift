/// Delivers the newest element of one source when another sends an element, unless that newest element was delivered
/// before.
@usableFromInline
final class SampleMachine: Machine {
  /// The slot of the source whose newest element is kept.
  @usableFromInline static var main: Int { 0 }

  /// The slot of the source whose elements trigger the deliveries.
  @usableFromInline static var sampler: Int { 1 }

  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var sources = FixedSources(2)
  @exclusivity(unchecked) private var hasNews = false

  override var directPath: DirectPath { .everySlot }

  override func connected(_ subscription: SubscriptionObject, from slot: Int) -> Subscribers.Demand? {
    sources.connect(subscription, to: slot) ? .unlimited : nil
  }

  override func received(from slot: Int) -> Reception {
    guard sources.live.contains(slot) else { return .refused }
    if slot == Self.main {
      hasNews = true
      return .setAside
    }
    guard hasNews, room != .none else { return .refused }
    hasNews = false
    if !sources.live.contains(Self.main) { finishCancellingSources() }
    return .completes
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    guard sources.end(slot, &steps.released) else { return .continues }
    if failed { return fail() }
    // The last element is delivered when it is sampled, and nothing can follow the last sample.
    if slot == Self.sampler || !hasNews { finishCancellingSources() }
    return .continues
  }

  override func dismantle() { sources.takeAll { steps.cancel($0) } }
}
