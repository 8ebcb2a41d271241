/// Delivers the newest element once none has arrived for an interval.
///
/// At most one timer is armed at any time. If newer elements have arrived since it was armed, it is armed again for the
/// date of the newest when it fires.
@usableFromInline
final class DebounceMachine: NewestMachine {
  override var directPath: DirectPath { due == 0 && waiting == 1 && isArmed ? .replace : .none }

  private func armTimer(_ steps: inout Steps) {
    paths.isReplaced = false
    arm(&steps)
  }

  override func received(from slot: Slot, _ steps: inout Steps) -> Reception {
    // This comes first, because the timer is armed for this element.
    let reception = replaceCandidate()
    if !isArmed { armTimer(&steps) }
    return reception
  }

  override func sourceEnded(_ steps: inout Steps) {
    disarm(&steps)
    scheduleDrain(&steps)
  }

  override func isDue(_ steps: inout Steps) {
    if paths.isReplaced { armTimer(&steps) } else { makeDue() }
  }
}
