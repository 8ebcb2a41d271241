/// Sends the newest element of the source in slot 0 whenever the source in slot 1 sends an element.
@usableFromInline
package final class SampleEngine: CombiningEngine {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var newest: KeptElement
  /// The context of the newest element, if contexts are carried.
  @exclusivity(unchecked) private var context: ContextSnapshot?

  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout) {
    newest = KeptElement(layout)
    super.init(receiver, layout, count: 2)
    begin(receiver)
  }

  package override var name: String { "sample(by:)" }

  package override func receives(_ type: Any.Type, from slot: Int) -> Bool { slot == 1 || type == layout.type }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? { sources.connected(subscription, to: slot, requesting: .unlimited) }

  // All elements have already been requested.
  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {}

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    guard sources.live.contains(slot) else { return }
    if slot == 0 {
      newest.keep(&reaction)
      return reaction.keepContext(in: &context)
    }
    guard newest.isFull, reaction.demand > .max(reaction.waiting) else { return }
    let element = newest.take()
    reaction.emit(in: context) { layout.size.move(element, to: $0) }
    // Nothing can follow the last sample.
    if !sources.live.contains(0) { end(with: .finished, &reaction) }
  }

  override func continues(without slot: Int) -> Bool { slot == 0 && newest.isFull }

  override func giveUpElements(_ reaction: inout Reaction) {
    newest.giveUp(&reaction)
    reaction.release(context.take())
  }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    sources.tell(tell)
    if newest.isFull { tell(.kept, 0, nil) }
  }
}
