/// Combines each element of the source in slot 0 with the newest element of the source in slot 1.
@usableFromInline
package final class WithLatestEngine: CombiningEngine {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var newest: KeptElement
  private let input: ElementLayout
  /// The closure that creates an output. It moves the element from slot 0 and copies the newest element from slot 1.
  private let join: Join
  private let alias: String

  @usableFromInline
  package init(
    _ receiver: Receiver, _ layout: ElementLayout, _ input: ElementLayout, newest: ElementLayout, _ name: String,
    _ join: @escaping Join
  ) {
    self.input = input
    self.newest = KeptElement(newest)
    self.join = join
    alias = name
    super.init(receiver, layout, count: 2)
    begin(receiver)
  }

  package override var name: String { alias }

  package override func receives(_ type: Any.Type, from slot: Int) -> Bool {
    type == (slot == 0 ? input.type : newest.layout.type)
  }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? {
    let wanted: Subscribers.Demand = newest.isFull ? reaction.demand : .none
    return sources.connected(subscription, to: slot, requesting: slot == 1 ? .unlimited : wanted)
  }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    if newest.isFull { reaction.request(more, from: sources[0]) }
  }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    guard sources.live.contains(slot) else { return }
    if slot == 1 {
      let isFirst = !newest.isFull
      newest.keep(&reaction)
      if isFirst { reaction.request(reaction.demand, from: sources[0]) }
    } else if newest.isFull {
      let element = reaction.take()
      reaction.emit { output in
        withUnsafePointer(to: (element, newest.address)) {
          $0.withMemoryRebound(to: UnsafeMutableRawPointer.self, capacity: 2) {
            join(UnsafeBufferPointer(start: $0, count: 2), output)
          }
        }
      }
    }
  }

  package override func limitingOperator(of slot: Int) -> String? { slot == 0 && !newest.isFull ? "" : nil }

  override func continues(without slot: Int) -> Bool { slot == 1 && newest.isFull }

  override func giveUpElements(_ reaction: inout Reaction) { newest.giveUp(&reaction) }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    sources.tell(tell)
    if !newest.isFull { return }
    tell(.kept, 1, nil)
    if name == "pausable(runningWhile:)" {
      tell(ElementLayout.read(Bool.self, from: newest.address) ? .open : .closed, 0, nil)
    }
  }
}
