/// Where an engine delivers.
@usableFromInline
protocol DeliveryPlace: AnyObject {
  /// Has what waits delivered there as soon as possible.
  func drain(_ engine: Engine)
}

/// The scheduler of an operator, and the date for which its timers are armed.
///
/// `date` and `armingThread` are protected by the lock of the engine whose timers these are.
@usableFromInline @_fixed_layout
final class Timing<Context: Scheduler>: DeliveryPlace {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?
  @usableFromInline let tolerance: Context.SchedulerTimeType.Stride
  @usableFromInline @exclusivity(unchecked) var date: Context.SchedulerTimeType?
  /// The thread that is in ``armNext(_:_:at:_:)``; 0 when none is.
  @usableFromInline @exclusivity(unchecked) var armingThread: UInt = 0

  // Never inlined: it is there once for each kind of scheduler.
  @inlinable @inline(never)
  init(
    _ scheduler: Context, _ options: Context.SchedulerOptions?, tolerance: Context.SchedulerTimeType.Stride? = nil
  ) {
    self.scheduler = scheduler
    self.options = options
    self.tolerance = tolerance ?? scheduler.minimumTolerance
  }

  /// Sets the first date, so long after now; a second subscription does not move it.
  @inlinable
  func start(_ engine: Engine, after interval: Context.SchedulerTimeType.Stride) {
    let date = scheduler.now.advanced(by: interval)
    engine.guarded { self.date = self.date ?? date }
  }

  // What an outlet has to ask its scheduler, made here so that it is there once for each kind of scheduler.

  @inlinable @inline(never)
  func makeSchedule() -> AnyOutlet.Schedule { { self.schedule($0, $1) } }

  @inlinable @inline(never)
  func makeScheduleInOrder() -> AnyOutlet.Schedule { { self.scheduleInOrder($0, $1) } }

  /// Asks the scheduler for a timer for the date, or for a drain when there is no alarm.
  @inlinable
  func schedule(_ engine: Engine, _ alarm: Alarm?) {
    guard let alarm, let date = engine.guarded({ date }) else { return drain(engine) }
    arm(engine, alarm, at: date) { engine.fired(alarm) }
  }

  /// The same where dates never go back: whichever timer fires, it stands for the one that was armed first. What the
  /// scheduler gets holds nothing but the engine, and so takes no memory.
  @inlinable
  func scheduleInOrder(_ engine: Engine, _ alarm: Alarm?) {
    guard let alarm, let date = engine.guarded({ date }) else { return drain(engine) }
    armInOrder(engine, alarm, at: date)
  }

  @inlinable
  func armInOrder(_ engine: Engine, _ alarm: Alarm, at date: Context.SchedulerTimeType) {
    arm(engine, alarm, at: date) { engine.firedOldest() }
  }

  /// Asks the scheduler to have what waits delivered as soon as possible.
  @inlinable
  func drain(_ engine: Engine) { scheduler.schedule(options: options) { engine.drain() } }

  /// Asks the scheduler to do something at a date, unless the timer is disarmed before.
  @inlinable
  func arm(_ engine: Engine, _ alarm: Alarm, at date: Context.SchedulerTimeType, _ action: @escaping () -> Void) {
    engine.armed(alarm, scheduler.scheduleOnce(after: date, tolerance: tolerance, options: options, action))
  }

  /// The same for a timer that another one follows when it fires. When one has fired inside this call, because the
  /// scheduler does not wait, none follows: that would go on without end.
  @inlinable
  func armNext(_ engine: Engine, _ alarm: Alarm, at date: Context.SchedulerTimeType, _ action: @escaping () -> Void) {
    let thread = ThreadContext.identity
    let isInside = engine.guarded {
      if armingThread == thread { return true }
      armingThread = thread
      return false
    }
    if isInside { return }
    arm(engine, alarm, at: date, action)
    engine.guarded { armingThread = 0 }
  }
}
