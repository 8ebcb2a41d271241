/// The common part of machines that arm a timer, at most one at a time. Unless they choose another mode, their deliveries
/// are made when it fires.
@usableFromInline
class TimedMachine: SingleSourceMachine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  /// The object that disarms the timer, once that is known.
  @exclusivity(unchecked) private final var timer: TimerObject?
  /// The number of the current arming; between armings, the complement of the number of the next.
  @exclusivity(unchecked) private final var number = ~0

  override init(_ deliveryMode: DeliveryMode = .onTimers) { super.init(deliveryMode) }

  final var isArmed: Bool { number >= 0 }

  /// Arms the timer, or arms it again. This is a step, done outside the lock.
  final func arm(_ steps: inout Steps) {
    if !isArmed { number = ~number }
    steps.arm(Alarm(number: number))
  }

  /// Disarms the timer, even if it is only being armed.
  final func disarm(_ steps: inout Steps) { steps.disarm(endArming()) }

  /// Marks the timer as not armed, and returns the object that disarms it, if that is known yet.
  private final func endArming() -> TimerObject? {
    guard isArmed else { return nil }
    number = ~(number &+ 1)
    return timer.take()
  }

  override final func armed(_ alarm: Alarm, _ timer: TimerObject) -> Bool {
    // Otherwise, it has fired or been disarmed meanwhile.
    guard alarm.number == number else { return false }
    self.timer = timer
    return true
  }

  override final func fired(_ alarm: Alarm, _ steps: inout Steps) -> TimerObject? {
    guard alarm.number == number else { return nil }
    let gone = endArming()
    isDue(&steps)
    return gone
  }

  /// Handles the timer, which has fired and was not disarmed.
  func isDue(_ steps: inout Steps) {}

  override final func dismantle(_ steps: inout Steps) {
    super.dismantle(&steps)
    disarm(&steps)
  }
}
