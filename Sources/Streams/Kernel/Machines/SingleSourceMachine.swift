/// The common part of machines that have one source at a time.
@usableFromInline
class SingleSourceMachine: Machine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) final var upstream: SubscriptionObject?

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ steps: inout Steps
  ) -> Subscribers.Demand? {
    guard upstream == nil else { return nil }
    upstream = subscription
    return firstRequest()
  }

  /// Returns the demand to request from the source when it is connected.
  func firstRequest() -> Subscribers.Demand { room }

  override func requested(_ more: Subscribers.Demand, _ steps: inout Steps) {
    demand += more
    steps.request(more, from: upstream)
  }

  /// Finishes the stream with its only source.
  override func ended(_ slot: Slot, failed: Bool, _ steps: inout Steps) -> Ending {
    steps.release(upstream.take())
    finish()
    sourceEnded(&steps)
    return .ends
  }

  /// Makes the steps that the completion waits for, once the only source has ended.
  func sourceEnded(_ steps: inout Steps) {}

  override func dismantle(_ steps: inout Steps) { steps.cancel(upstream.take()) }
}
