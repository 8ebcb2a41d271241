extension OldEngine {
  /// The place where an engine delivers: a scheduler or an actor.
  @usableFromInline
  protocol DeliveryContext: AnyObject {
    /// Makes the engine deliver its waiting elements there as soon as possible.
    func drain(_ engine: OldEngine)

    /// Returns the scheduler or the actor, and the date for which the last timer of an engine was armed.
    func place(in engine: OldEngine) -> (place: Any?, date: Any?)
  }
}

/// The scheduler of a timed operator, and the date for which its timers are armed.
///
/// `date` and `armingThread` are protected by the lock of the engine that the timers belong to.
@usableFromInline @_fixed_layout
final class Timing<Context: Scheduler>: OldEngine.DeliveryContext {
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?
  @usableFromInline let tolerance: Context.SchedulerTimeType.Stride
  @usableFromInline @exclusivity(unchecked) var date: Context.SchedulerTimeType?
  /// The identity of the thread that is in ``armWaiting(_:_:at:_:)``, or 0.
  @usableFromInline @exclusivity(unchecked) var armingThread: UInt = 0

  // Never inlined: compiled once for each scheduler type.
  @inlinable @inline(never)
  init(
    _ scheduler: Context, _ options: Context.SchedulerOptions?, tolerance: Context.SchedulerTimeType.Stride? = nil
  ) {
    self.scheduler = scheduler
    self.options = options
    self.tolerance = tolerance ?? scheduler.minimumTolerance
  }

  /// Sets the first date to the given interval from now. A second subscription does not change it.
  @inlinable
  func start(_ engine: OldEngine, after interval: Context.SchedulerTimeType.Stride) {
    let date = scheduler.now.advanced(by: interval)
    engine.guarded { self.date = self.date ?? date }
  }

  /// Sets the date and returns whether it differs from the previous one; called under the engine's lock.
  @inlinable
  func change(to date: Context.SchedulerTimeType) -> Bool {
    if let last = self.date, last == date { return false }
    self.date = date
    return true
  }

  // The requests of an outlet to its scheduler, created here so that they are compiled once for each scheduler type.

  @inlinable @inline(never)
  func makeSchedule() -> AnyOutlet.Schedule { { self.schedule($0, $1) } }

  @inlinable @inline(never)
  func makeScheduleInOrder() -> AnyOutlet.Schedule { { self.scheduleInOrder($0, $1) } }

  /// Requests a timer for the date from the scheduler, or a drain.
  @inlinable
  func schedule(_ engine: OldEngine, _ request: OldEngine.ScheduleRequest) {
    guard case .timer(let timerID) = request, let date = engine.guarded({ date }) else { return drain(engine) }
    arm(engine, timerID, at: date) { engine.fired(timerID) }
  }

  /// Like ``schedule(_:_:)``, for dates that never decrease: whichever timer fires, it stands for the one that was
  /// armed first. The closure passed to the scheduler captures only the engine, and so needs no allocation.
  @inlinable
  func scheduleInOrder(_ engine: OldEngine, _ request: OldEngine.ScheduleRequest) {
    guard case .timer(let timerID) = request, let date = engine.guarded({ date }) else { return drain(engine) }
    armInOrder(engine, timerID, at: date)
  }

  @inlinable
  func armInOrder(_ engine: OldEngine, _ timerID: OldMachine.TimerID, at date: Context.SchedulerTimeType) {
    arm(engine, timerID, at: date) { engine.fired(.oldest) }
  }

  /// Requests a drain from the scheduler, which delivers the waiting elements as soon as possible.
  @inlinable
  func drain(_ engine: OldEngine) { scheduler.schedule(options: options) { engine.drain() } }

  @usableFromInline
  func place(in engine: OldEngine) -> (place: Any?, date: Any?) { (scheduler, engine.guarded { date }) }

  /// Schedules an action at a date, unless the timer is disarmed before.
  @inlinable
  func arm(
    _ engine: OldEngine, _ timerID: OldMachine.TimerID, at date: Context.SchedulerTimeType,
    _ action: @escaping () -> Void
  ) {
    engine.armed(timerID, scheduler.scheduleOnce(after: date, tolerance: tolerance, options: options, action))
  }

  /// Like ``arm(_:_:at:_:)``, for a timer whose action has to know whether time has passed (``isArming(on:)``).
  @inlinable
  func armWaiting(
    _ engine: OldEngine, _ timerID: OldMachine.TimerID, at date: Context.SchedulerTimeType,
    _ action: @escaping () -> Void
  ) {
    let thread = ThreadContext.identity
    engine.guarded { armingThread = thread }
    arm(engine, timerID, at: date, action)
    engine.guarded { armingThread = 0 }
  }

  /// Indicates whether an action on the given thread runs within the call that arms its timer, because the scheduler does
  /// not wait. No date is ever reached there. Called under the lock.
  @inlinable
  func isArming(on thread: UInt) -> Bool { armingThread == thread }
}
