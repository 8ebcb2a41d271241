/// What machines share whose deliveries are made by work that a scheduler runs.
@usableFromInline
class ScheduledMachine: Machine {
  @exclusivity(unchecked) final var upstream: (any Subscription)?
  @exclusivity(unchecked) private final var alarms: [Alarm: (any Cancellable)?] = [:]
  @exclusivity(unchecked) private final var count = 0

  override final var deliversOnScheduler: Bool { true }

  /// How much upstream is asked for at the beginning.
  var initialDemand: Subscribers.Demand { .none }

  override func connected(_ subscription: any Subscription, from slot: Int) {
    guard upstream == nil else { return steps.cancel(subscription) }
    upstream = subscription
    steps.request(initialDemand == .none ? demand : initialDemand, from: subscription)
  }

  /// Arms a timer; a step, done outside the lock.
  final func arm(immediately isImmediate: Bool = false) -> Alarm {
    let alarm = Alarm(number: count, isImmediate: isImmediate)
    count += 1
    alarms[alarm] = .some(nil)
    steps.append(.arm(alarm))
    return alarm
  }

  /// Disarms a timer, also one that is only being armed.
  final func disarm(_ alarm: Alarm?) {
    guard let alarm, let cancellable = alarms.removeValue(forKey: alarm) else { return }
    steps.cancel(cancellable)
  }

  override final func armed(_ alarm: Alarm, _ cancellable: any Cancellable) {
    if alarms[alarm] == nil {
      // It has fired or been disarmed meanwhile.
      steps.cancel(cancellable)
    } else if let earlier = alarms.updateValue(cancellable, forKey: alarm) {
      steps.release(earlier)
    }
  }

  override final func fired(_ alarm: Alarm) {
    guard let cancellable = alarms.removeValue(forKey: alarm) else { return }
    steps.release(cancellable)
    isDue(alarm)
  }

  /// A timer that was not disarmed has fired.
  func isDue(_ alarm: Alarm) {}

  override final func dismantle() {
    steps.cancel(upstream.take())
    for (_, cancellable) in alarms { steps.cancel(cancellable) }
    alarms = [:]
  }
}
