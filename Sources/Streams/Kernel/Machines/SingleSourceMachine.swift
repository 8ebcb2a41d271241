/// The common part of machines that have one source at a time.
@usableFromInline
class SingleSourceMachine: OldMachine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) final var upstream: SubscriptionObject?

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ effects: inout Effects
  ) -> Subscribers.Demand? {
    guard upstream == nil else { return nil }
    upstream = subscription
    return firstRequest()
  }

  /// Returns the demand to request from the source when it is connected.
  func firstRequest() -> Subscribers.Demand { room }

  override func requested(_ more: Subscribers.Demand, _ effects: inout Effects) {
    demand += more
    effects.request(more, from: upstream)
  }

  /// Finishes the stream with its only source.
  override func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending {
    effects.release(upstream.take())
    finish()
    return .ends
  }

  override func dismantle(_ effects: inout Effects) { effects.cancel(upstream.take()) }

  override func inspect(_ tell: StreamFact.Tell) {
    if !isFinishing { tell(.upstream, 0, upstream) }
  }
}
