/// The common part of machines that deliver, on a scheduler, one of the elements that arrived: demand upstream is
/// unlimited, and at most one element waits.
@usableFromInline
class NewestMachine: TimedMachine {
  /// Elements are requested without counting, because all but one of those that arrive before one is due are dropped.
  override final func firstRequest() -> Subscribers.Demand { .unlimited }

  override final func requested(_ more: Subscribers.Demand, _ effects: inout Effects) { demand += more }

  /// Indicates whether an element waits that is not due yet and is replaced by the next one.
  final var hasCandidate: Bool { waiting > due }

  /// Makes the candidate due, because its time has elapsed. It is then delivered whatever arrives before that happens.
  /// Without demand, it stays a candidate that the next element replaces.
  final func makeDue() {
    if hasCandidate, demand.spend() { paths.due &+= 1 }
  }

  /// Keeps an element, in place of the candidate if there is one.
  final func replaceCandidate() -> Reception {
    guard hasCandidate else { return .stored }
    paths.isReplaced = true
    return .replaces
  }

  override final func next(_ effects: inout Effects) -> Delivery? {
    // A candidate without demand is lost.
    phase == .concluding && due == 0 ? complete(&effects) : super.next(&effects)
  }
}
