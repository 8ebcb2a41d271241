/// A date that moves with each value, `interval` after it, and the timer for it.
///
/// Timers measure time. The scheduler's clock may be set while one is armed, so that the clock alone says neither how much
/// time has passed nor how much is left.
@usableFromInline @_fixed_layout
final class Deadline<Context: Scheduler> {
  @usableFromInline let timing: Timing<Context>
  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  /// The date for which the timer was last armed.
  @usableFromInline @exclusivity(unchecked) var armedDate: Context.SchedulerTimeType?
  /// Indicates whether a value has moved the deadline since the timer was armed.
  @usableFromInline @exclusivity(unchecked) var hasMoved = false

  // Few timers are armed, so that no client has code of its own for this, except what runs for each value.
  @usableFromInline
  init(_ scheduler: Context, _ options: Context.SchedulerOptions?, _ interval: Context.SchedulerTimeType.Stride) {
    timing = Timing(scheduler, options)
    self.interval = interval
  }

  /// The requests of an outlet whose machine decides what a timer means that has fired.
  @usableFromInline
  func makeSchedule() -> AnyOutlet.Schedule {
    { engine, request in
      guard case .timer(let timerID) = request else { return self.timing.drain(engine) }
      self.arm(engine, timerID) { engine.fired(timerID) }
    }
  }

  /// The deadline if no value arrives from now on.
  @inlinable
  var next: Context.SchedulerTimeType { timing.scheduler.now.advanced(by: interval) }

  /// Moves the deadline. Called under the lock.
  @inlinable
  func move(to date: Context.SchedulerTimeType) {
    timing.date = date
    hasMoved = true
  }

  /// Arms a timer for what is left of the interval.
  @usableFromInline
  func arm(_ engine: OldEngine, _ timerID: OldMachine.TimerID, _ action: @escaping () -> Void) {
    let now = timing.scheduler.now
    let date = engine.guarded {
      let date = now.advanced(by: remainder(at: now))
      armedDate = date
      return date
    }
    timing.armWaiting(engine, timerID, at: date, action)
  }

  /// Returns what is left of the interval. Called under the lock.
  func remainder(at now: Context.SchedulerTimeType) -> Context.SchedulerTimeType.Stride {
    Self.remainder(of: interval, until: timing.date, armedFor: armedDate, at: now)
  }

  /// Returns what is left of an interval until a date.
  ///
  /// The timer before this one has fired at its date, whatever the clock reads now. If the clock was set, either what was left
  /// at that date or what is left now is right. The longer time is taken, because an interval keeps its length, but no more
  /// than a whole interval.
  @usableFromInline
  static func remainder(
    of interval: Context.SchedulerTimeType.Stride, until date: Context.SchedulerTimeType?,
    armedFor armedDate: Context.SchedulerTimeType?, at now: Context.SchedulerTimeType
  ) -> Context.SchedulerTimeType.Stride {
    guard let date else { return interval }
    let left = now.distance(to: date)
    return min(armedDate.map { max(left, $0.distance(to: date)) } ?? left, interval)
  }
}
