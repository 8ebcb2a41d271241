/// Forwards the elements of the source that sends a signal first, and cancels the others.
@usableFromInline
final class RaceMachine: Machine {
  private var sources: [SubscriptionObject?] = []
  private var winner: Slot?

  override var directPath: DirectPath { if let winner { .slot(winner) } else { .none } }

  /// Opens a slot for another source, unless one has won already.
  override func open(_ steps: inout Steps) -> Slot? {
    if winner != nil { return nil }
    sources.append(nil)
    return Slot(sources.count - 1)
  }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ steps: inout Steps
  ) -> Subscribers.Demand? {
    guard winner == nil || winner == slot, sources[slot.number] == nil else { return nil }
    sources[slot.number] = subscription
    return room
  }

  override func requested(_ more: Subscribers.Demand, _ steps: inout Steps) {
    demand += more
    for source in sources { steps.request(more, from: source) }
  }

  /// Makes the source of the slot the winner, unless there is one. Returns whether it is the winner.
  private func wins(_ slot: Slot, _ steps: inout Steps) -> Bool {
    if winner == nil {
      winner = slot
      for loser in sources.indices where loser != slot.number { steps.cancel(sources[loser].take()) }
    }
    return winner == slot
  }

  override func received(from slot: Slot, _ steps: inout Steps) -> Reception { wins(slot, &steps) ? .stored : .refused }

  override func ended(_ slot: Slot, failed: Bool, _ steps: inout Steps) -> Ending {
    guard wins(slot, &steps) else { return .continues }
    steps.release(sources[slot.number].take())
    if failed { return fail(&steps) }
    finish()
    return .ends
  }

  override func dismantle(_ steps: inout Steps) {
    for index in sources.indices { steps.cancel(sources[index].take()) }
  }
}
