/// Delivers at most one element in each interval, the first or the newest.
@usableFromInline
final class ThrottleMachine: ScheduledMachine {
  private let latest: Bool
  @exclusivity(unchecked) private var timer: Alarm?
  @exclusivity(unchecked) private var isElementDue = false
  @exclusivity(unchecked) private var isCompletionDue = false

  init(latest: Bool) { self.latest = latest }

  override var initialDemand: Subscribers.Demand { .unlimited }

  override func received(from slot: Int) -> Reception {
    if waiting == 1, !latest, timer != nil { return .refused }
    if timer == nil { timer = arm() }
    defer { waiting = 1 }
    return waiting == 1 ? .replaces : .stored
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    steps.release(upstream.take())
    isFinishing = true
    // A waiting element is delivered at its time, and the completion after it.
    if timer == nil { timer = arm(immediately: true) }
    return .ends
  }

  override func isDue(_ alarm: Alarm) {
    timer = nil
    isElementDue = waiting == 1
    isCompletionDue = isFinishing
  }

  override func next() -> Delivery? {
    if isOver { return nil }
    if isElementDue {
      isElementDue = false
      // Without demand the element stays where the next one replaces it.
      if demand.spend() {
        waiting = 0
        return .element
      }
    }
    return isCompletionDue ? finish() : nil
  }
}
