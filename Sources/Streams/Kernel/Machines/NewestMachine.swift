/// What machines share that deliver, on a scheduler, one element of those that came: upstream is asked for everything, and at
/// most one element waits.
@usableFromInline
class NewestMachine: ScheduledMachine {
  override final var initialDemand: Subscribers.Demand { .unlimited }

  override final func next() -> Delivery? {
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
