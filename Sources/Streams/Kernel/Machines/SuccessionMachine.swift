/// Lets one source follow another, with at most one live at a time, and carries over outstanding demand.
///
/// Each source has the slot number after that of its predecessor.
@usableFromInline
final class SuccessionMachine: SingleSourceMachine {
  private let followsFailure: Bool
  /// The number of further sources that may follow.
  var successors: Int
  private var current: Slot = -1

  /// Creates a machine in which another source follows a failure, or else a normal end, up to the given number of
  /// times.
  init(followsFailure: Bool, successors: Int) {
    self.followsFailure = followsFailure
    self.successors = successors
    super.init()
  }

  override var directPath: DirectPath { .slot(current) }

  /// Indicates whether the source of the slot is the one that may send.
  func isCurrent(_ slot: Slot) -> Bool { slot == current && !isFinishing }

  override func open(_ effects: inout Effects) -> Slot? {
    current = Slot(current.number + 1)
    return current
  }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ effects: inout Effects
  ) -> Subscribers.Demand? {
    slot == current ? super.connected(subscription, from: slot, &effects) : nil
  }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    slot == current ? .stored : .refused
  }

  override func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending {
    guard slot == current else { return .continues }
    effects.release(upstream.take())
    if failed == followsFailure, successors > 0 {
      successors -= 1
      return .hasSuccessor
    }
    if failed { return fail(&effects) }
    finish()
    return .ends
  }

  override func inspect(_ tell: StreamFact.Tell) {
    super.inspect(tell)
    tell(.succeeded, current.number, nil)
    tell(followsFailure ? .followsFailure : .followsFinish, successors, nil)
  }
}
