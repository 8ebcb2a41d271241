/// A merge that finishes with the first of its sources, the leader, without waiting for demand for elements of the others.
final class LedMergeMachine: MergeMachine {
  override func ended(_ slot: Int, failed: Bool, _ steps: inout Steps) -> Ending {
    guard slot == 0, !failed else { return super.ended(slot, failed: failed, &steps) }
    guard sources.close(slot, &steps.released) else { return .continues }
    guard holdsElement(of: slot) else { return fail(&steps) }
    finishCancellingSources(&steps)
    return .continues
  }
}
