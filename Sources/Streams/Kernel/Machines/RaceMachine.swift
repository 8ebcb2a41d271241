/// Forwards the elements of the source that sends a signal first, and cancels the others.
@usableFromInline
final class RaceMachine: OldMachine {
  private var sources: [SubscriptionObject?] = []
  private var winner: Slot?

  override var directPath: DirectPath { if let winner { .slot(winner) } else { .none } }

  /// Opens a slot for another source, unless one has won already.
  override func open(_ effects: inout Effects) -> Slot? {
    if winner != nil { return nil }
    sources.append(nil)
    return Slot(sources.count - 1)
  }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ effects: inout Effects
  ) -> Subscribers.Demand? {
    guard winner == nil || winner == slot, sources[slot.number] == nil else { return nil }
    sources[slot.number] = subscription
    return room
  }

  override func requested(_ more: Subscribers.Demand, _ effects: inout Effects) {
    demand += more
    for source in sources { effects.request(more, from: source) }
  }

  /// Makes the source of the slot the winner, unless there is one. Returns whether it is the winner.
  private func wins(_ slot: Slot, _ effects: inout Effects) -> Bool {
    if winner == nil {
      winner = slot
      for loser in sources.indices where loser != slot.number { effects.cancel(sources[loser].take()) }
    }
    return winner == slot
  }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    wins(slot, &effects) ? .stored : .refused
  }

  override func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending {
    guard wins(slot, &effects) else { return .continues }
    effects.release(sources[slot.number].take())
    if failed { return fail(&effects) }
    finish()
    return .ends
  }

  override func dismantle(_ effects: inout Effects) {
    for index in sources.indices { effects.cancel(sources[index].take()) }
  }

  override func inspect(_ tell: StreamFact.Tell) {
    for number in sources.indices.prefix(StreamFact.maxSources) {
      if let source = sources[number] { tell(.upstream, number, source) }
    }
  }
}
