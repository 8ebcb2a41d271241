/// Delivers the newest element once none has come for a while.
///
/// One timer is armed at any time: when it fires and newer elements have come since it was armed, it is armed again for
/// the date of the newest.
@usableFromInline
final class DebounceMachine: NewestMachine {
  // Exclusive: reached only under the lock of the engine, which runs nothing unknown meanwhile.
  @exclusivity(unchecked) private var timer: Alarm?
  /// How many elements had been replaced when the timer was armed.
  @exclusivity(unchecked) private var replacementsBefore = 0

  override var directPath: DirectPath { due == 0 && waiting == 1 && timer != nil ? .replace : .none }

  private func armTimer() {
    replacementsBefore = paths.replacements
    timer = arm()
  }

  override func received(from slot: Int) -> Reception {
    // Counted first: the timer is armed for this element.
    let reception = replaceCandidate()
    if timer == nil { armTimer() }
    return reception
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    steps.release(upstream.take())
    finish()
    disarm(timer)
    scheduleDrain()
    return .ends
  }

  override func isDue() {
    timer = nil
    if replacementsBefore == paths.replacements {
      makeDue()
    } else {
      armTimer()
    }
  }
}
