/// The common part of machines that combine the elements of a fixed number of sources.
@usableFromInline
class CombiningMachine: Machine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) final var sources: FixedSources

  init(count: Int) { sources = FixedSources(count) }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ steps: inout Steps
  ) -> Subscribers.Demand? {
    sources.connect(subscription, to: slot) ? firstRequest(from: slot) : nil
  }

  /// Returns the demand to request from a source when it is connected.
  func firstRequest(from slot: Slot) -> Subscribers.Demand { room }

  override func requested(_ more: Subscribers.Demand, _ steps: inout Steps) {
    demand += more
    sources.forEach { steps.request(more, from: $0) }
  }

  override final func ended(_ slot: Slot, failed: Bool, _ steps: inout Steps) -> Ending {
    guard sources.end(slot, &steps.released) else { return .continues }
    if failed { return fail(&steps) }
    if !canContinue(without: slot) { finishCancellingSources(&steps) }
    return .continues
  }

  /// Indicates whether an output may follow, although a source has ended.
  func canContinue(without slot: Slot) -> Bool { true }

  override final func dismantle(_ steps: inout Steps) { sources.takeAll { steps.cancel($0) } }
}
