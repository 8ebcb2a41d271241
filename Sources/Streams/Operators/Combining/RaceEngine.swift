/// Forwards the elements of the source that is the first to send an element or to end, and cancels the others.
@usableFromInline
package final class RaceEngine: Engine {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var sources: [SingleSource]
  /// The slot of the source that has won.
  @exclusivity(unchecked) private var winner: Int?

  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout, count: Int) {
    sources = Array(repeating: SingleSource(), count: count)
    super.init(receiver, layout, [])
    begin(receiver)
  }

  package override var name: String { "race" }

  /// Attaches a source, unless another one has won.
  @inlinable @inline(__always)
  package func enter<Source: Publisher>(_ source: Source, slot: Int) { if !isWon { attach(source, slot: slot) } }

  @usableFromInline
  var isWon: Bool { withLock { winner != nil } }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? {
    guard winner == nil || winner == slot else { return nil }
    return sources[slot].connected(subscription, requesting: reaction.demand)
  }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    for source in sources { reaction.request(more, from: source.subscription) }
  }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    if winner == nil { decide(slot, &reaction) }
    if winner == slot { reaction.emit() }
  }

  private func decide(_ slot: Int, _ reaction: inout Reaction) {
    winner = slot
    for loser in sources.indices where loser != slot { sources[loser].cancel(&reaction) }
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    if winner == nil { decide(slot, &reaction) }
    guard winner == slot else { return }
    sources[slot].ended(&reaction)
    reaction.end(with: completion)
  }

  package override func cancelSources(_ reaction: inout Reaction) {
    for slot in sources.indices { sources[slot].cancel(&reaction) }
  }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    for slot in sources.indices.prefix(StreamFact.maxReportedSources) { sources[slot].tell(tell, slot: slot) }
  }
}
