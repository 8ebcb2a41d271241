/// Delivers the newest element once none has come for a while.
///
/// One timer is armed at any time: when it fires and newer elements have come since it was armed, it is armed again for
/// the date of the newest.
@usableFromInline
final class DebounceMachine: NewestMachine {
  override var directPath: DirectPath { due == 0 && waiting == 1 && isArmed ? .replace : .none }

  private func armTimer() {
    paths.isReplaced = false
    arm()
  }

  override func received(from slot: Int) -> Reception {
    // First: the timer is armed for this element.
    let reception = replaceCandidate()
    if !isArmed { armTimer() }
    return reception
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    steps.release(upstream.take())
    finish()
    disarm()
    scheduleDrain()
    return .ends
  }

  override func isDue() {
    if paths.isReplaced { armTimer() } else { makeDue() }
  }
}
