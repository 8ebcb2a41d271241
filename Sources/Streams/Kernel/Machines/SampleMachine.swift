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

  /// Closed once the main source has ended, because the next output is then the last.
  override var directPath: DirectPath { sources.live == sources.all ? .everySlot : .none }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ steps: inout Steps
  ) -> Subscribers.Demand? {
    sources.connect(subscription, to: slot) ? .unlimited : nil
  }

  override func received(from slot: Int, _ steps: inout Steps) -> Reception {
    guard sources.live.contains(slot) else { return .refused }
    let reception = combined(from: slot)
    if reception == .completes, !sources.live.contains(Self.main) { finishCancellingSources(&steps) }
    return reception
  }

  override func combined(from slot: Int) -> Reception {
    if slot == Self.main {
      hasNews = true
      return .setAside
    }
    guard hasNews, room != .none else { return .refused }
    hasNews = false
    return .completes
  }

  override func ended(_ slot: Int, failed: Bool, _ steps: inout Steps) -> Ending {
    guard sources.end(slot, &steps.released) else { return .continues }
    if failed { return fail(&steps) }
    // The last element is delivered when it is sampled, and nothing can follow the last sample.
    if slot == Self.sampler || !hasNews { finishCancellingSources(&steps) }
    return .continues
  }

  override func dismantle(_ steps: inout Steps) { sources.takeAll { steps.cancel($0) } }
}
