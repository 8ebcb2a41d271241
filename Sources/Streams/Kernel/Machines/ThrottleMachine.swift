/// Delivers at most one element in each interval, the first or the newest.
@usableFromInline
final class ThrottleMachine: NewestMachine {
  private let latest: Bool

  init(latest: Bool) { self.latest = latest }

  override var directPath: DirectPath { latest && due == 0 && waiting == 1 && isArmed ? .replace : .none }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    if hasCandidate, !latest, isArmed { return .refused }
    if !isArmed { arm(&effects) }
    return replaceCandidate()
  }

  override func sourceEnded(_ effects: inout Effects) {
    // A waiting element is delivered at its time, and the completion after it.
    if !isArmed { scheduleDrain(&effects) }
  }

  override func isDue(_ effects: inout Effects) {
    makeDue()
    conclude()
  }
}
