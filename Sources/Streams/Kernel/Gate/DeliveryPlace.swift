/// The place where an engine delivers: a scheduler or an actor.
@usableFromInline
package protocol DeliveryPlace {
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
package struct SchedulerPlace<Context: Scheduler>: DeliveryPlace {
  @usableFromInline package let scheduler: Context
  @usableFromInline package let options: Context.SchedulerOptions?

  @inlinable
  package init(_ scheduler: Context, _ options: Context.SchedulerOptions?) {
    self.scheduler = scheduler
    self.options = options
  }

  // The closures capture nothing but the gate, so they need no allocation.

  @inlinable
  package func schedule(_ gate: Gate) { scheduler.schedule(options: options) { gate.run(.delivery) } }

  /// Schedules a timer.
  @inlinable
  package func arm(_ number: Int, for gate: Gate, at date: Context.SchedulerTimeType) -> TimerObject {
    scheduler.scheduleOnce(after: date, tolerance: scheduler.minimumTolerance, options: options) {
      gate.run(.timer(number))
    }
  }

  @usableFromInline
  package var inspected: Any? { scheduler }
}
