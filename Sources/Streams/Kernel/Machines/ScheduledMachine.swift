/// What machines share that have to do with a scheduler; unless they say otherwise, their deliveries are made by work that it
/// runs.
@usableFromInline
class ScheduledMachine: Machine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) final var upstream: SubscriptionObject?

  override init(_ deliveryMode: DeliveryMode = .onTimers) { super.init(deliveryMode) }

  /// How much upstream is asked for at the beginning.
  var initialDemand: Subscribers.Demand { .none }

  override func connected(_ subscription: SubscriptionObject, from slot: Int) -> Subscribers.Demand? {
    guard upstream == nil else { return nil }
    upstream = subscription
    return initialDemand == .none ? demand : initialDemand
  }

  override func dismantle() { steps.cancel(upstream.take()) }
}

/// What machines share that arm a timer, at most one at a time.
@usableFromInline
class TimedMachine: ScheduledMachine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private final var timer = SoleTimer()

  final var isArmed: Bool { timer.isArmed }

  /// Arms the timer; a step, done outside the lock.
  final func arm() { steps.arm(timer.arm()) }

  /// Disarms the timer, also one that is only being armed.
  final func disarm() { steps.disarm(timer.take()) }

  override final func armed(_ alarm: Alarm, _ timer: TimerObject) -> Bool { self.timer.set(timer, for: alarm) }

  override final func fired(_ alarm: Alarm?) -> TimerObject? {
    guard timer.isMeant(by: alarm) else { return nil }
    let gone = timer.take()
    isDue()
    return gone
  }

  /// The timer has fired, and was not disarmed.
  func isDue() {}

  override final func dismantle() {
    super.dismantle()
    disarm()
  }
}

/// A timer that is armed, or will be again.
struct SoleTimer: ~Copyable {
  /// What disarms it, from when that is known.
  private var timer: TimerObject?
  /// Which arming this is; between armings, the complement of that of the next.
  private var number = ~0

  var isArmed: Bool { number >= 0 }

  /// Takes it for armed, which it must not be.
  mutating func arm() -> Alarm {
    if !isArmed { number = ~number }
    return Alarm(number: number)
  }

  /// Keeps what disarms it, unless it has fired or been disarmed meanwhile.
  mutating func set(_ timer: TimerObject, for alarm: Alarm) -> Bool {
    guard isMeant(by: alarm) else { return false }
    self.timer = timer
    return true
  }

  /// Whether it is armed, and the alarm stands for it; it does if none is given.
  func isMeant(by alarm: Alarm?) -> Bool { isArmed && alarm?.number ?? number == number }

  /// Takes it for not armed, and returns what disarms it, if that is known yet.
  mutating func take() -> TimerObject? {
    guard isArmed else { return nil }
    number = ~(number &+ 1)
    return timer.take()
  }
}
