/// Forwards the elements of one source until, or from the moment that, another sends an element.
@usableFromInline
final class UntilMachine: SingleSourceMachine {
  /// The slot of the source whose elements are forwarded.
  @usableFromInline static var main: Slot { 0 }

  /// The slot of the source whose first element opens or closes the gate.
  @usableFromInline static var trigger: Slot { 1 }

  /// What the first element of the trigger does.
  @usableFromInline
  enum Action {
    /// Elements are forwarded from then on.
    case opens
    /// The stream finishes, after the elements that wait.
    case finishes
    /// The stream finishes now, without the elements that wait for demand.
    case cuts
  }

  private let action: Action
  private var isOpen: Bool
  private var trigger = SingleSource()

  /// Creates a machine whose gate is closed until the trigger's first element if that opens it, and otherwise open until
  /// then.
  init(on action: Action) {
    self.action = action
    isOpen = action != .opens
    super.init()
  }

  override var directPath: DirectPath { isOpen ? .slot(Self.main) : .none }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ effects: inout Effects
  ) -> Subscribers.Demand? {
    guard slot == Self.trigger else { return super.connected(subscription, from: slot, &effects) }
    return trigger.connect(subscription) ? .max(1) : nil
  }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    if slot == Self.main {
      if isOpen { return .stored }
      // The demand of a dropped element is given back.
      if demand != .unlimited { effects.request(.max(1), from: upstream) }
      return .refused
    }
    guard trigger.isLive else { return .refused }
    trigger.cancel(&effects)
    switch action {
    case .opens: isOpen = true
    case .finishes: finishCancellingSources(&effects)
    case .cuts: _ = fail(&effects)
    }
    return .refused
  }

  override func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending {
    if slot == Self.main {
      effects.release(upstream.take())
      if failed { return fail(&effects) }
      finishCancellingSources(&effects)
      return .ends
    }
    guard trigger.end(&effects), action == .opens else { return .continues }
    if failed { return fail(&effects) }
    // Nothing can open the gate any more.
    finishCancellingSources(&effects)
    return .continues
  }

  override func dismantle(_ effects: inout Effects) {
    super.dismantle(&effects)
    trigger.cancel(&effects)
  }

  override func inspect(_ tell: StreamFact.Tell) {
    super.inspect(tell)
    trigger.inspect(slot: Self.trigger, tell)
    tell(isOpen ? .open : .closed, 0, nil)
  }
}
