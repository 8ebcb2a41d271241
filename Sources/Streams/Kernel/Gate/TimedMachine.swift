/// A machine with a scheduler and an interval, which knows the time at which signals come: the common part of timed
/// operators.
///
/// Times of a scheduler are plain values. They are compared and computed under the lock, where nothing else is called that
/// isn't the kernel's own.
@usableFromInline
package protocol TimedMachine: SlotMachine, ~Copyable where Time == Context.SchedulerTimeType? {
  associatedtype Context: Scheduler
  associatedtype Time = Context.SchedulerTimeType?

  /// Indicates whether the machine needs to know the time of such signals. Finding it out has a cost, and a scheduler that
  /// isn't needed must not be asked.
  static func needsTime(of signal: Signal) -> Bool

  /// The date that an inspection shows. If there is none, that is the one for which the timer was last armed.
  var date: Context.SchedulerTimeType? { get }

  /// The scheduler. A stored constant of the machine itself, because it is read without the lock: unoptimized code copies
  /// the whole of what a constant is part of.
  var place: SchedulerPlace<Context> { get }
  var source: SingleSource { get set }
  var timing: Timing<Context> { get set }

  /// Handles the timer, which has fired and is no longer armed.
  mutating func isDue(_ reaction: inout Reaction<Output, Failure>)

  /// Returns the date for which the timer is to be armed.
  mutating func timerDate(at now: Context.SchedulerTimeType) -> Context.SchedulerTimeType
}

// A machine that arms several timers has code of its own for them.
extension TimedMachine where Self: ~Copyable {
  @inlinable package mutating func isDue(_ reaction: inout Reaction<Output, Failure>) {}
  @inlinable package mutating func timerDate(at now: Context.SchedulerTimeType) -> Context.SchedulerTimeType { now }
}

/// The interval of a timed machine, its timer, and the time of the present event.
@usableFromInline @frozen
package struct Timing<Context: Scheduler> {
  @usableFromInline package typealias Time = Context.SchedulerTimeType

  @usableFromInline package let interval: Time.Stride
  /// The time at which the present signal comes, or the one before it if that isn't known.
  @usableFromInline package var present: Time?
  @usableFromInline package var timer = OnlyTimer()
  /// The date for which the timer was last armed.
  @usableFromInline package var armedDate: Time?

  @inlinable
  package init(_ interval: Time.Stride) { self.interval = interval }

  /// The time at which the present signal comes.
  @inlinable
  package var now: Time { present.unsafelyUnwrapped }

  /// The date an interval from now.
  @inlinable
  package var later: Time { now.advanced(by: interval) }

  /// Returns what is left of the interval until a date.
  ///
  /// Timers measure time. The scheduler's clock may be set while one is armed, so that the clock alone says neither how much
  /// time has passed nor how much is left. The timer before this one has fired at its date, whatever the clock reads now. If
  /// the clock was set, either what was left at that date or what is left now is right. The longer time is taken, because an
  /// interval keeps its length, but no more than a whole interval.
  @usableFromInline
  package func remainder(until date: Time?, at now: Time) -> Time.Stride {
    guard let date else { return interval }
    let left = now.distance(to: date)
    return min(armedDate.map { max(left, $0.distance(to: date)) } ?? left, interval)
  }

}

extension TimedMachine where Self: ~Copyable {
  @inlinable package var date: Context.SchedulerTimeType? { nil }
  @inlinable package static var traits: Gate.Traits { .deliversOnScheduler }

  @inlinable @inline(__always)
  package static func time(of signal: Signal, for engine: Engine<Self>) -> Time {
    // Constants are read without the lock.
    needsTime(of: signal) ? engine.machine.place.scheduler.now : nil
  }

  @inlinable @inline(__always)
  package mutating func begins(at time: Time) { if let time { timing.present = time } }

  @inlinable
  package mutating func cancelSources(_ reaction: inout Reaction<Output, Failure>) { source.cancel(&reaction) }

  @inlinable
  package mutating func tearDown(_ reaction: inout Reaction<Output, Failure>) {
    cancelSources(&reaction)
    timing.timer.disarm(&reaction)
  }

  @inlinable
  package mutating func fired(_ number: Int, _ reaction: inout Reaction<Output, Failure>) -> TimerObject? {
    guard timing.timer.fires(number) else { return nil }
    let firedTimer = timing.timer.object.take()
    isDue(&reaction)
    return firedTimer
  }

  @inlinable @inline(never)
  package static func schedule(_ work: ScheduledWork, for engine: Engine<Self>) {
    let place = engine.machine.place
    guard case .timer(let number) = work else { return place.schedule(engine) }
    let now = place.scheduler.now
    let thread = ThreadState.identity
    let date = engine.withLock {
      let date = engine.machine.timerDate(at: now)
      engine.machine.timing.armedDate = date
      engine.machine.timing.timer.armingThread = thread
      return date
    }
    let timer = place.arm(number, for: engine, at: date)
    engine.withLock { engine.machine.timing.timer.armed(number, timer) }?.cancel()
  }

  @usableFromInline
  package func inspect(_ tell: StreamFact.Tell) { inspectTiming(tell) }

  @usableFromInline
  package func inspectTiming(_ tell: StreamFact.Tell) {
    source.tell(tell)
    if timing.timer.isArmed { tell(.timer, 0, nil) }
    place.tellPlace(tell, date ?? timing.armedDate)
  }
}
