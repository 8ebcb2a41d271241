/// What machines share that arm timers; unless they say otherwise, their deliveries are made by work that a scheduler runs.
@usableFromInline
class ScheduledMachine: Machine {
  // Exclusive: reached only under the lock of the engine, which runs nothing unknown meanwhile.
  @exclusivity(unchecked) final var upstream: SubscriptionObject?
  @exclusivity(unchecked) private final var alarms = AlarmTable()

  override init(_ deliveryMode: DeliveryMode = .onTimers) { super.init(deliveryMode) }

  /// How much upstream is asked for at the beginning.
  var initialDemand: Subscribers.Demand { .none }

  override func connected(_ subscription: SubscriptionObject, from slot: Int) -> Subscribers.Demand? {
    guard upstream == nil else { return nil }
    upstream = subscription
    return initialDemand == .none ? demand : initialDemand
  }

  /// Arms a timer; a step, done outside the lock.
  final func arm() -> Alarm {
    let alarm = Alarm(number: alarms.append())
    steps.arm(alarm)
    return alarm
  }

  /// Disarms a timer, also one that is only being armed.
  final func disarm(_ alarm: Alarm?) {
    guard let alarm, let timer = alarms.remove(alarm.number).timer else { return }
    steps.disarm(timer)
  }

  /// Makes room for a timer that the caller arms.
  @usableFromInline
  final func expectTimer() -> Alarm { Alarm(number: alarms.append()) }

  override final func armed(_ alarm: Alarm, _ timer: TimerObject) -> Bool {
    // If not, it has fired or been disarmed meanwhile.
    alarms.set(timer, for: alarm.number)
  }

  override final func fired(_ alarm: Alarm?) {
    let (isNews, timer) = alarms.remove((alarm ?? alarms.oldest).number)
    forgotten = timer
    if isNews { isDue() }
  }

  /// A timer that was not disarmed has fired.
  func isDue() {}

  override final func dismantle() {
    steps.cancel(upstream.take())
    while let timer = alarms.popFirst() { steps.disarm(timer) }
  }
}

/// The timers that are armed, in the order in which they were.
struct AlarmTable: ~Copyable {
  private struct Entry {
    var isArmed = true
    var timer: TimerObject?
  }

  private var entries = Ring<Entry>()
  private var firstNumber = 0

  /// The timer that was armed first of those that are still armed.
  var oldest: Alarm { Alarm(number: firstNumber) }

  /// Makes room for another timer, and returns its number.
  mutating func append() -> Int {
    entries.append(Entry())
    return firstNumber + entries.count - 1
  }

  /// Keeps what cancels a timer, unless it is not armed any more.
  mutating func set(_ timer: TimerObject, for number: Int) -> Bool {
    let offset = number - firstNumber
    guard offset >= 0, entries[offset].isArmed else { return false }
    entries[offset].timer = timer
    return true
  }

  /// Takes a timer out; says whether it was there, and returns what cancels it, if that is known yet.
  mutating func remove(_ number: Int) -> (isNews: Bool, timer: TimerObject?) {
    let offset = number - firstNumber
    guard offset >= 0, offset < entries.count, entries[offset].isArmed else { return (false, nil) }
    entries[offset].isArmed = false
    let timer = entries[offset].timer.take()
    while let first = entries.first, !first.isArmed {
      _ = entries.popFirst()
      firstNumber += 1
    }
    return (true, timer)
  }

  /// Takes the first timer out that is there.
  mutating func popFirst() -> TimerObject? {
    while let entry = entries.popFirst() {
      firstNumber += 1
      if let timer = entry.timer { return timer }
    }
    return nil
  }
}
