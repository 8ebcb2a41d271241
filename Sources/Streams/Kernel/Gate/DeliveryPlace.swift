/// The place where an engine delivers: a scheduler or an actor.
@usableFromInline
protocol DeliveryPlace {
  /// Schedules a delivery of the gate.
  func schedule(_ gate: Gate)

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
  func schedule(_ gate: Gate) { scheduler.schedule(options: options) { gate.run(.delivery) } }

  /// Schedules a timer.
  @inlinable
  func arm(_ number: Int, for gate: Gate, at date: Context.SchedulerTimeType) -> TimerObject {
    scheduler.scheduleOnce(after: date, tolerance: scheduler.minimumTolerance, options: options) {
      gate.run(.timer(number))
    }
  }

  @usableFromInline
  var inspected: Any? { scheduler }
}
