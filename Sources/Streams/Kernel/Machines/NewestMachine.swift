/// What machines share that deliver, on a scheduler, one element of those that came: upstream is asked for everything, and at
/// most one element waits.
@usableFromInline
class NewestMachine: TimedMachine {
  /// Elements are asked for without counting, since all but one of those that come before one is due are dropped.
  override final var initialDemand: Subscribers.Demand { .unlimited }

  /// Whether an element waits that is not due yet, and that the next one replaces.
  final var hasCandidate: Bool { waiting > due }

  /// The time of the candidate has come. It is delivered, whatever comes before somebody gets round to that; but without demand
  /// it stays where the next one replaces it.
  final func makeDue() {
    if hasCandidate, demand.spend() { paths.due &+= 1 }
  }

  /// Keeps an element, in place of the candidate if there is one.
  final func replaceCandidate() -> Reception {
    guard hasCandidate else { return .stored }
    paths.isReplaced = true
    return .replaces
  }

  override final func next() -> Delivery? {
    if isOver { return nil }
    if paths.takeDue() { return .element }
    return phase == .concluding ? complete() : nil
  }
}
