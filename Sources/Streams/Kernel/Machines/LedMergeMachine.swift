/// A merge that finishes with the first of its sources.
final class LedMergeMachine: MergeMachine {
  override func ended(_ slot: Int, failed: Bool) -> Ending {
    let ending = super.ended(slot, failed: failed)
    if slot == 0, !isFinishing { finishCancellingSources() }
    return ending
  }
}
