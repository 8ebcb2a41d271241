/// The common part of machines that arm a timer, at most one at a time. Unless they choose another mode, their
/// deliveries are made when it fires.
@usableFromInline
class TimedMachine: SingleSourceMachine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  /// The object that disarms the timer, once that is known.
  @exclusivity(unchecked) private final var timer: TimerObject?
  /// The number of the current arming; between armings, the complement of the number of the next.
  @exclusivity(unchecked) private final var number = ~0

  override init(_ deliveryMode: DeliveryMode = .onTimers) { super.init(deliveryMode) }

  final var isArmed: Bool { number >= 0 }

  /// Arms the timer, or arms it again. This is an effect, done outside the lock.
  final func arm(_ effects: inout Effects) {
    if !isArmed { number = ~number }
    effects.arm(TimerID(number: number))
  }

  /// Disarms the timer, even if it is only being armed.
  final func disarm(_ effects: inout Effects) { effects.disarm(endArming()) }

  /// Marks the timer as not armed, and returns the object that disarms it, if that is known yet.
  private final func endArming() -> TimerObject? {
    guard isArmed else { return nil }
    number = ~(number &+ 1)
    return timer.take()
  }

  override final func armed(_ timerID: TimerID, _ timer: TimerObject) -> Bool {
    // Otherwise, it has fired or been disarmed meanwhile.
    guard timerID.number == number else { return false }
    self.timer = timer
    return true
  }

  override final func fired(_ timerID: TimerID, _ effects: inout Effects) -> TimerObject? {
    guard timerID.number == number else { return nil }
    let gone = endArming()
    isDue(&effects)
    return gone
  }

  /// Handles the timer, which has fired and was not disarmed.
  func isDue(_ effects: inout Effects) {}

  override final func dismantle(_ effects: inout Effects) {
    super.dismantle(&effects)
    disarm(&effects)
  }

  override func inspect(_ tell: StreamFact.Tell) {
    super.inspect(tell)
    if isArmed { tell(.timer, 0, nil) }
  }
}
