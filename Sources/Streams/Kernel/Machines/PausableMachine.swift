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
    _ subscription: SubscriptionObject, from slot: Slot, _ steps: inout Steps
  ) -> Subscribers.Demand? {
    guard slot == Self.gate else { return super.connected(subscription, from: slot, &steps) }
    return gate.connect(subscription) ? .unlimited : nil
  }

  override func received(from slot: Slot, _ steps: inout Steps) -> Reception {
    let reception = isUpstreamLive ? super.received(from: slot, &steps) : .refused
    // The buffer was full: the kept elements precede the failure, which nothing can hold back any more.
    if isFinishing { isOpen = true }
    return reception
  }

  /// Opens or closes the buffer.
  @usableFromInline
  func setOpen(_ isOpen: Bool) {
    self.isOpen = isOpen
    if isOpen, !isUpstreamLive { finish() }
  }

  override func next(_ steps: inout Steps) -> Delivery? {
    if isOpen { return super.next(&steps) }
    // Waiting elements are lost: the gate's source has failed, or nothing can open the gate any more.
    return isFinishing && !isOver ? complete(&steps) : nil
  }

  override func ended(_ slot: Slot, failed: Bool, _ steps: inout Steps) -> Ending {
    if slot == Self.gate {
      guard gate.end(&steps) else { return .continues }
      if failed { return fail(&steps) }
      if !isOpen { finishCancellingSources(&steps) }
      return .continues
    }
    guard isUpstreamLive else { return .continues }
    isUpstreamLive = false
    if isOpen { return super.ended(slot, failed: failed, &steps) }
    // Not finishing yet: the gate can still open.
    steps.release(upstream.take())
    if waiting == 0 { finish() }
    return .ends
  }

  override func dismantle(_ steps: inout Steps) {
    super.dismantle(&steps)
    gate.cancel(&steps)
  }
}
