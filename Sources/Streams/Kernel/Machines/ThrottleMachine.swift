/// Delivers at most one element in each interval, the first or the newest.
@usableFromInline
final class ThrottleMachine: NewestMachine {
  private let latest: Bool
  // Exclusive: reached only under the lock of the engine, which runs nothing unknown meanwhile.
  @exclusivity(unchecked) private var timer: Alarm?

  init(latest: Bool) { self.latest = latest }

  override var directPath: DirectPath { latest && due == 0 && waiting == 1 && timer != nil ? .replace : .none }

  override func received(from slot: Int) -> Reception {
    if hasCandidate, !latest, timer != nil { return .refused }
    if timer == nil { timer = arm() }
    return replaceCandidate()
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    steps.release(upstream.take())
    finish()
    // A waiting element is delivered at its time, and the completion after it.
    if timer == nil { scheduleDrain() }
    return .ends
  }

  override func isDue() {
    timer = nil
    makeDue()
    conclude()
  }
}
