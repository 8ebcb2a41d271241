/// The common part of machines that use a scheduler. Unless they choose another mode, their deliveries are made by work
/// that the scheduler runs.
@usableFromInline
class ScheduledMachine: Machine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) final var upstream: SubscriptionObject?

  override init(_ deliveryMode: DeliveryMode = .onTimers) { super.init(deliveryMode) }

  /// The demand that is requested from upstream at the beginning.
  var initialDemand: Subscribers.Demand { .none }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ steps: inout Steps
  ) -> Subscribers.Demand? {
    guard upstream == nil else { return nil }
    upstream = subscription
    return initialDemand == .none ? demand : initialDemand
  }

  override func dismantle(_ steps: inout Steps) { steps.cancel(upstream.take()) }
}

/// The common part of machines that arm a timer, at most one at a time.
@usableFromInline
class TimedMachine: ScheduledMachine {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private final var timer = SoleTimer()

  final var isArmed: Bool { timer.isArmed }

  /// Arms the timer. This is a step, done outside the lock.
  final func arm(_ steps: inout Steps) { steps.arm(timer.arm()) }

  /// Disarms the timer, even if it is only being armed.
  final func disarm(_ steps: inout Steps) { steps.disarm(timer.take()) }

  override final func armed(_ alarm: Alarm, _ timer: TimerObject) -> Bool { self.timer.set(timer, for: alarm) }

  override final func fired(_ alarm: Alarm, _ steps: inout Steps) -> TimerObject? {
    guard timer.isMeant(by: alarm) else { return nil }
    let gone = timer.take()
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

/// A timer that is armed at most once at a time, and may be armed again.
struct SoleTimer: ~Copyable {
  /// The object that disarms it, once that is known.
  private var timer: TimerObject?
  /// The number of the current arming; between armings, the complement of the number of the next.
  private var number = ~0

  var isArmed: Bool { number >= 0 }

  /// Marks the timer as armed, which it must not be already.
  mutating func arm() -> Alarm {
    if !isArmed { number = ~number }
    return Alarm(number: number)
  }

  /// Stores the object that disarms the timer, unless it has fired or been disarmed meanwhile.
  mutating func set(_ timer: TimerObject, for alarm: Alarm) -> Bool {
    guard isMeant(by: alarm) else { return false }
    self.timer = timer
    return true
  }

  /// Indicates whether the timer is armed and the alarm stands for it.
  func isMeant(by alarm: Alarm) -> Bool { isArmed && alarm.number == number }

  /// Marks the timer as not armed, and returns the object that disarms it, if that is known yet.
  mutating func take() -> TimerObject? {
    guard isArmed else { return nil }
    number = ~(number &+ 1)
    return timer.take()
  }
}
