/// Makes attempts one after the other: the next one after the current one has failed and another source, the decider,
/// has then sent an element.
@usableFromInline
final class RetryingMachine: SingleSourceMachine {
  /// The slot of the decider; attempts have the numbers from 0.
  @usableFromInline static var decider: Slot { -1 }

  private var current: Slot = -1
  private var decider = SingleSource()
  /// Indicates whether the current attempt has failed, or there has been none.
  private var isWaiting = true
  /// Indicates whether the next attempt is to be made.
  private var isGranted = true

  override var directPath: DirectPath { isWaiting ? .none : .slot(current) }

  /// Indicates whether the attempt is in progress.
  func isRunning(_ slot: Slot) -> Bool { slot == current && !isWaiting && !isFinishing }

  override func open(_ effects: inout Effects) -> Slot? {
    guard isGranted else { return nil }
    isGranted = false
    isWaiting = false
    current = Slot(current.number + 1)
    return current
  }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ effects: inout Effects
  ) -> Subscribers.Demand? {
    if slot == Self.decider { return decider.connect(subscription) ? Subscribers.Demand.none : nil }
    return isRunning(slot) ? super.connected(subscription, from: slot, &effects) : nil
  }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    guard slot == Self.decider else { return isRunning(slot) ? .stored : .refused }
    if isWaiting { isGranted = true }
    return .refused
  }

  override func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending {
    if slot == Self.decider {
      guard decider.end(&effects) else { return .continues }
      if failed { return fail(&effects) }
      // While an attempt is in progress or about to be made, the decider's end takes effect only when that attempt
      // fails.
      if isWaiting, !isGranted { finish() }
      return .continues
    }
    guard isRunning(slot) else { return .continues }
    effects.release(upstream.take())
    isWaiting = true
    if failed, decider.isLive {
      effects.request(.max(1), from: decider.subscription)
    } else {
      finishCancellingSources(&effects)
    }
    return .continues
  }

  override func dismantle(_ effects: inout Effects) {
    super.dismantle(&effects)
    decider.cancel(&effects)
  }

  override func inspect(_ tell: StreamFact.Tell) {
    if isWaiting { tell(.ended, 0, nil) } else { super.inspect(tell) }
    decider.inspect(slot: Self.decider, tell)
    tell(.succeeded, current.number, nil)
  }
}
