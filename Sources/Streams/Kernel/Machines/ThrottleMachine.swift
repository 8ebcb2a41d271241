/// Delivers at most one element in each interval, the first or the newest.
@usableFromInline
final class ThrottleMachine: NewestMachine {
  private let latest: Bool

  init(latest: Bool) { self.latest = latest }

  override var directPath: DirectPath { latest && due == 0 && waiting == 1 && isArmed ? .replace : .none }

  override func received(from slot: Int) -> Reception {
    if hasCandidate, !latest, isArmed { return .refused }
    if !isArmed { arm() }
    return replaceCandidate()
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    steps.release(upstream.take())
    finish()
    // A waiting element is delivered at its time, and the completion after it.
    if !isArmed { scheduleDrain() }
    return .ends
  }

  override func isDue() {
    makeDue()
    conclude()
  }
}
