/// Forwards the elements of one source until, or from the moment that, another sends an element.
@usableFromInline
final class UntilMachine: Machine {
  /// The slot of the source whose elements are forwarded.
  @usableFromInline static var main: Int { 0 }

  /// The slot of the source whose first element opens or closes the gate.
  @usableFromInline static var trigger: Int { 1 }

  private let opensOnTrigger: Bool
  private var isOpen: Bool
  private var isTriggerLive = true
  private var main: SubscriptionObject?
  private var trigger: SubscriptionObject?

  /// Creates a machine whose gate is closed until the trigger's first element, or open until then.
  init(opensOnTrigger: Bool) {
    self.opensOnTrigger = opensOnTrigger
    isOpen = !opensOnTrigger
  }

  override var directPath: DirectPath { isOpen ? .slot(Self.main) : .none }

  override func connected(_ subscription: SubscriptionObject, from slot: Int, _ steps: inout Steps) -> Subscribers
    .Demand?
  {
    if slot == Self.trigger, isTriggerLive, trigger == nil {
      trigger = subscription
      return .max(1)
    }
    guard slot == Self.main, main == nil else { return nil }
    main = subscription
    return room
  }

  override func requested(_ more: Subscribers.Demand, _ steps: inout Steps) {
    demand += more
    steps.request(more, from: main)
  }

  override func received(from slot: Int, _ steps: inout Steps) -> Reception {
    if slot == Self.main {
      if !isOpen {
        // The demand of a dropped element is given back.
        if demand != .unlimited { steps.request(.max(1), from: main) }
        return .refused
      }
      return .stored
    }
    guard isTriggerLive else { return .refused }
    isTriggerLive = false
    steps.cancel(trigger.take())
    if opensOnTrigger {
      isOpen = true
    } else {
      finish()
      steps.cancel(main.take())
    }
    return .refused
  }

  override func ended(_ slot: Int, failed: Bool, _ steps: inout Steps) -> Ending {
    if slot == Self.main {
      steps.release(main.take())
      if failed { return fail(&steps) }
      finish()
      steps.cancel(trigger.take())
      return .ends
    }
    guard isTriggerLive else { return .continues }
    isTriggerLive = false
    steps.release(trigger.take())
    guard opensOnTrigger else { return .continues }
    if failed { return fail(&steps) }
    // Nothing can open the gate any more.
    finish()
    steps.cancel(main.take())
    return .continues
  }

  override func dismantle(_ steps: inout Steps) {
    steps.cancel(main.take())
    steps.cancel(trigger.take())
  }
}
