/// The place where an engine delivers: a scheduler or an actor.
@usableFromInline
protocol DeliveryPlace {
  /// Makes the gate deliver there as soon as possible.
  func drain(_ gate: Gate)

  /// The scheduler or the actor, for the inspection.
  var inspected: Any? { get }
}

extension DeliveryPlace {
  /// Tells the scheduler or the actor, and the date for which a timer is armed.
  func tellPlace(_ tell: StreamFact.Tell, _ date: Any? = nil) {
    if let inspected { tell(.place, 0, StreamFact.Box(inspected)) }
    if let date { tell(.date, 0, StreamFact.Box(date)) }
  }
}

/// A scheduler as the place where an engine delivers.
@usableFromInline @frozen
struct SchedulerPlace<Context: Scheduler>: DeliveryPlace {
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?

  @inlinable
  init(_ scheduler: Context, _ options: Context.SchedulerOptions?) {
    self.scheduler = scheduler
    self.options = options
  }

  // The closures capture nothing but the gate, so they need no allocation.

  @inlinable
  func drain(_ gate: Gate) { scheduler.schedule(options: options) { gate.drained() } }

  /// Schedules a timer.
  @inlinable
  func arm(_ number: Int, for gate: Gate, at date: Context.SchedulerTimeType) -> TimerObject {
    scheduler.scheduleOnce(after: date, tolerance: scheduler.minimumTolerance, options: options) { gate.fired(number) }
  }

  @usableFromInline
  var inspected: Any? { scheduler }
}

/// The only timer of a machine.
@usableFromInline @frozen
struct OnlyTimer {
  /// Indicates whether it is armed.
  @usableFromInline var isArmed = false
  /// The number of the last arming. A timer that fires with another number is out of date.
  @usableFromInline var number = 0
  /// What disarms it, once that is known.
  @usableFromInline var object: TimerObject?

  @inlinable init() {}

  /// Has the machine arm the timer.
  @inlinable
  mutating func arm<Output, Failure>(_ reaction: inout Reaction<Output, Failure>) {
    isArmed = true
    number &+= 1
    reaction.arm(number)
  }

  /// Stores the object that disarms the timer, or returns it if the timer has fired or been disarmed meanwhile.
  @inlinable
  mutating func armed(_ number: Int, _ object: TimerObject) -> TimerObject? {
    guard isArmed, number == self.number else { return object }
    self.object = object
    return nil
  }

  /// Returns whether a timer that fires is this one, which is then no longer armed.
  @inlinable
  mutating func fires<Output, Failure>(_ number: Int, _ reaction: inout Reaction<Output, Failure>) -> Bool {
    guard isArmed, number == self.number else { return false }
    isArmed = false
    reaction.release(object.take())
    return true
  }

  @inlinable
  mutating func disarm<Output, Failure>(_ reaction: inout Reaction<Output, Failure>) {
    isArmed = false
    reaction.disarm(object.take())
  }
}
