/// Delivers the newest element once none has arrived for an interval.
///
/// At most one timer is armed at any time. If newer elements have arrived since it was armed, it is armed again for the
/// date of the newest when it fires.
@usableFromInline
final class DebounceMachine: NewestMachine {
  override var directPath: DirectPath { due == 0 && waiting == 1 && isArmed ? .replace : .none }

  private func armTimer(_ effects: inout Effects) {
    paths.isReplaced = false
    arm(&effects)
  }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    // This comes first, because the timer is armed for this element.
    let reception = replaceCandidate()
    if !isArmed { armTimer(&effects) }
    return reception
  }

  override func sourceEnded(_ effects: inout Effects) {
    disarm(&effects)
    scheduleDrain(&effects)
  }

  override func isDue(_ effects: inout Effects) {
    if paths.isReplaced { armTimer(&effects) } else { makeDue() }
  }
}
