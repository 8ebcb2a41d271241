/// The common part of machines that combine the elements of a fixed number of sources.
@usableFromInline
class CombiningMachine: OldMachine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) final var sources: FixedSources

  init(count: Int) { sources = FixedSources(count) }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ effects: inout Effects
  ) -> Subscribers.Demand? {
    sources.connect(subscription, to: slot) ? firstRequest(from: slot) : nil
  }

  /// Returns the demand to request from a source when it is connected.
  func firstRequest(from slot: Slot) -> Subscribers.Demand { room }

  override func requested(_ more: Subscribers.Demand, _ effects: inout Effects) {
    demand += more
    sources.forEach { effects.request(more, from: $0) }
  }

  override final func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending {
    guard sources.end(slot, &effects.released) else { return .continues }
    if failed { return fail(&effects) }
    if !canContinue(without: slot) { finishCancellingSources(&effects) }
    return .continues
  }

  /// Indicates whether an output may follow, although a source has ended.
  func canContinue(without slot: Slot) -> Bool { true }

  override final func dismantle(_ effects: inout Effects) { sources.takeAll { effects.cancel($0) } }

  override func inspect(_ tell: StreamFact.Tell) {
    sources.inspect(tell)
  }
}
