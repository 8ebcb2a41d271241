/// A buffer that delivers only while it's open. Another source, in slot 1, opens and closes it with `Bool` elements.
///
/// Waiting elements are ready while the buffer is open.
@usableFromInline
package final class PausableEngine: Engine {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var source = SingleSource()
  @exclusivity(unchecked) private var gate = SingleSource()
  @exclusivity(unchecked) private var isOpen = false
  /// The completion of the source, once it has ended.
  @exclusivity(unchecked) private var completion: Subscribers.Completion<any Error>?

  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout, _ bound: Bound) {
    super.init(receiver, layout, .tracksDeliveries, bound)
    begin(receiver)
  }

  package override var name: String { "pausable(runningWhile:)" }

  package override func receives(_ type: Any.Type, from slot: Int) -> Bool {
    type == (slot == 1 ? Bool.self : layout.type)
  }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? {
    if slot == 1 { return gate.connected(subscription, requesting: .unlimited) }
    guard completion == nil, let bound = reaction.bound else { return nil }
    return source.connected(subscription, requesting: bound.demand)
  }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    if slot == 1 { return setOpen(ElementLayout.take(Bool.self, from: reaction.take()), &reaction) }
    if completion != nil { return }
    if isOpen, reaction.canPass, reaction.bound?.overflow != .wait { return reaction.emit() }
    wait(&reaction)
  }

  private func wait(_ reaction: inout Reaction) {
    // There's always room for elements that are ready and have been requested.
    let promised = min(reaction.ready, reaction.demand.max ?? reaction.ready)
    switch makesRoom(&reaction, promised: promised) {
    case .free: if isOpen { reaction.enqueue() } else { reaction.store() }
    case .freed(let offset):
      if isOpen { reaction.enqueue(replacing: offset) } else { reaction.store(replacing: offset) }
    // A stream that fails still delivers the waiting elements, even if the buffer was closed.
    case .full: if !reaction.isRunning { setOpen(!reaction.endsEarly, &reaction) }
    }
  }

  /// Opens or closes the buffer.
  private func setOpen(_ isOpen: Bool, _ reaction: inout Reaction) {
    self.isOpen = isOpen
    reaction.setReady(isOpen ? reaction.waiting : 0)
    if isOpen, let completion { reaction.finish(completion) }
  }

  package override func delivered(_ tag: Int, _ reaction: inout Reaction) {
    if reaction.bound?.overflow == .wait { reaction.request(.max(1), from: source.subscription) }
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    if slot == 1 { return gateEnded(completion, &reaction) }
    guard self.completion == nil else { return }
    self.completion = completion
    source.ended(&reaction)
    // Otherwise, the gate can still open the buffer.
    if isOpen || reaction.waiting == 0 { reaction.finish(completion) }
  }

  private func gateEnded(_ ending: Subscribers.Completion<any Error>, _ reaction: inout Reaction) {
    guard gate.ended(&reaction) else { return }
    if case .failure = ending {
      reaction.endEarly(with: ending)
    } else if !isOpen {
      // Nothing can open the buffer anymore.
      reaction.endEarly(with: completion ?? .finished)
    } else {
      return
    }
    cancelSources(&reaction)
  }

  package override func cancelSources(_ reaction: inout Reaction) {
    source.cancel(&reaction)
    gate.cancel(&reaction)
  }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    source.tell(tell)
    if completion != nil { tell(.ended, 0, nil) }
    gate.tell(tell, slot: 1)
    tell(isOpen ? .open : .closed, 0, nil)
  }
}
