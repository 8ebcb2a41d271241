/// A buffer that delivers only while it is open, which another source decides.
@usableFromInline
final class PausableMachine: BufferMachine {
  /// The slot of the source that opens and closes the buffer.
  @usableFromInline static var gate: Slot { 1 }

  private var isOpen = false
  private var gate = SingleSource()
  private var isUpstreamLive = true

  init(size: Int, overflow: Overflow) { super.init(size: size, keepsFull: false, overflow: overflow) }

  override var directPath: DirectPath { isOpen ? super.directPath : .none }

  override var promised: Int { isOpen ? super.promised : 0 }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ effects: inout Effects
  ) -> Subscribers.Demand? {
    guard slot == Self.gate else { return super.connected(subscription, from: slot, &effects) }
    return gate.connect(subscription) ? .unlimited : nil
  }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    let reception = isUpstreamLive ? super.received(from: slot, &effects) : .refused
    // The buffer was full: the elements that the stream still delivers precede the completion, which nothing can hold
    // back any more.
    if isFinishing { isOpen = phase != .failing }
    return reception
  }

  /// Opens or closes the buffer.
  @usableFromInline
  func setOpen(_ isOpen: Bool) {
    self.isOpen = isOpen
    if isOpen, !isUpstreamLive { finish() }
  }

  override func next(_ effects: inout Effects) -> Delivery? {
    if isOpen { return super.next(&effects) }
    // Waiting elements are lost: the gate's source has failed, or nothing can open the gate any more.
    return isFinishing && !isOver ? complete(&effects) : nil
  }

  override func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending {
    if slot == Self.gate {
      guard gate.end(&effects) else { return .continues }
      if failed { return fail(&effects) }
      if !isOpen { finishCancellingSources(&effects) }
      return .continues
    }
    guard isUpstreamLive else { return .continues }
    isUpstreamLive = false
    if isOpen { return super.ended(slot, failed: failed, &effects) }
    // Not finishing yet: the gate can still open.
    effects.release(upstream.take())
    if waiting == 0 { finish() }
    return .ends
  }

  override func dismantle(_ effects: inout Effects) {
    super.dismantle(&effects)
    gate.cancel(&effects)
  }

  override func inspect(_ tell: StreamFact.Tell) {
    super.inspect(tell)
    if !isUpstreamLive { tell(.ended, 0, nil) }
    gate.inspect(slot: Self.gate, tell)
    tell(isOpen ? .open : .closed, 0, nil)
  }
}
