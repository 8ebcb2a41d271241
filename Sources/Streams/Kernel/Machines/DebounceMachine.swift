/// Delivers the newest element once none has come for a while.
///
/// One timer is armed at any time: when it fires and newer elements have come since it was armed, it is armed again for
/// the date of the newest.
@usableFromInline
final class DebounceMachine: NewestMachine {
  // Exclusive: reached only under the lock of the engine, which runs nothing unknown meanwhile.
  @exclusivity(unchecked) private var timer: Alarm?
  @exclusivity(unchecked) private var armedVersion = 0

  override var directSlots: DirectSlots { due == 0 && waiting == 1 && timer != nil ? .replace : .none }

  private func armTimer() {
    armedVersion = version
    timer = arm()
  }

  override func received(from slot: Int) -> Reception {
    version &+= 1
    if timer == nil { armTimer() }
    return replaceCandidate()
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    steps.release(upstream.take())
    isFinishing = true
    disarm(timer)
    scheduleDrain()
    return .ends
  }

  override func isDue() {
    timer = nil
    if armedVersion == version {
      makeDue()
    } else {
      armTimer()
    }
  }
}
