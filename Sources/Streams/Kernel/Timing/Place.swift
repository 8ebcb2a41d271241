/// The place where an engine delivers: a scheduler or an actor.
///
/// The closures capture nothing. They're created where the scheduler's type is known, so they call specialized code.
@usableFromInline @_fixed_layout
package class Place {
  @usableFromInline package typealias Deliver = (Place, Engine) -> Void
  /// Schedules a delivery of the engine.
  @usableFromInline package final let deliver: Deliver

  @inlinable
  package init(deliver: @escaping Deliver) { self.deliver = deliver }

  /// The scheduler or the actor, for inspection.
  var inspected: Any? { nil }

  /// Tells an inspection the scheduler or the actor.
  final func tellPlace(_ tell: StreamFact.Tell) {
    if let inspected { tell(.place, 0, StreamFact.Box(inspected)) }
  }
}

/// A scheduler as the place where an engine delivers.
@usableFromInline @_fixed_layout
package final class SchedulerPlace<Context: Scheduler>: Place {
  @usableFromInline package let scheduler: Context
  @usableFromInline package let options: Context.SchedulerOptions?

  @inlinable @inline(never) @_optimize(size)
  package init(_ scheduler: Context, _ options: Context.SchedulerOptions?) {
    self.scheduler = scheduler
    self.options = options
    super.init {
      let place = unsafeDowncast($0, to: SchedulerPlace.self)
      let engine = $1
      // The closure captures nothing but the engine, so it needs no allocation.
      place.scheduler.schedule(options: place.options) { engine.run(.delivery) }
    }
  }

  override var inspected: Any? { scheduler }
}

extension Place {
  /// An actor as the place where an engine delivers.
  @usableFromInline
  package static func actor(_ actor: any Actor) -> Place { ActorPlace(actor) }
}

/// A scheduler and an interval. An engine compares and computes the scheduler's times without knowing their type.
@usableFromInline @_fixed_layout
package class ClockPlace: Place {
  @usableFromInline @frozen
  package enum Question {
    /// The current time. It's asked for without a lock, because a scheduler's clock is user code.
    case now
    /// The time that's one interval later.
    case later(Instant)
    /// A time, if that time is before another one or, for `ifEqual`, equal to it.
    case ifBefore(Instant, Instant)
    case ifEqual(Instant, Instant)
    /// A time, moved by the distance from the first of two others to the second.
    case moved(Instant, Instant, Instant)
  }

  /// An answer. It can be `nil` only if the question's name begins with `if`.
  @usableFromInline package typealias Answer = (ClockPlace, Question) -> Instant?
  @usableFromInline package typealias Arm = (ClockPlace, Engine, Int, Instant) -> TimerObject

  @usableFromInline package final let answer: Answer
  /// A closure that schedules the engine's timer with the given number.
  @usableFromInline package final let arm: Arm

  @inlinable
  package init(deliver: @escaping Deliver, answer: @escaping Answer, arm: @escaping Arm) {
    self.answer = answer
    self.arm = arm
    super.init(deliver: deliver)
  }

  @inline(__always)
  final func ask(_ question: Question) -> Instant { answer(self, question).unsafelyUnwrapped }

  final func isBefore(_ time: Instant, _ other: Instant) -> Bool { answer(self, .ifBefore(time, other)) != nil }

  final func isEqual(_ time: Instant, _ other: Instant) -> Bool { answer(self, .ifEqual(time, other)) != nil }

  final func earlier(_ time: Instant, _ other: Instant) -> Instant { isBefore(other, time) ? other : time }

  /// Returns the later of two times.
  final func latest(_ time: Instant, _ other: Instant) -> Instant { isBefore(time, other) ? other : time }

  /// Returns a time, moved by the distance from one time to another.
  final func moved(_ time: Instant, from first: Instant, to second: Instant) -> Instant {
    ask(.moved(time, first, second))
  }

  /// Returns the date at which the rest of the interval will have passed, given the current time and, if known, the interval's
  /// end and the date for which the previous timer was armed.
  ///
  /// Timers measure elapsed time. The scheduler's clock may be set while a timer is armed, so the clock alone doesn't show how
  /// much time has passed or is left. The previous timer fired at its date, whatever the clock reads now. If the clock was set,
  /// either the time left at that date or the time left now is right. The longer one is used, so the interval doesn't become
  /// shorter, but no more than a whole interval.
  final func deadline(at now: Instant, until end: Instant?, armed armedDate: Instant?) -> Instant {
    let whole = ask(.later(now))
    guard let end else { return whole }
    let rest = armedDate.map { latest(end, moved(now, from: $0, to: end)) } ?? end
    return earlier(rest, whole)
  }

  /// Returns the end of the interval that contains a time, given the end of an earlier interval.
  ///
  /// Skips earlier intervals in steps of two, four, eight …, because a stride can't be divided, and a stream may have been
  /// quiet for a million intervals.
  final func end(from earlierEnd: Instant?, after now: Instant) -> Instant {
    let whole = ask(.later(now))
    guard isBefore(now, whole) else { return now }
    // If an end is further away than an interval, it was computed before the clock was set back.
    var date = earlier(earlierEnd ?? now, whole)
    while !isBefore(now, date) {
      var next = ask(.later(date))
      for _ in 0..<62 {
        let twice = moved(next, from: date, to: next)
        if isBefore(now, twice) { break }
        next = twice
      }
      // At the end of representable time, there's no later date.
      guard isBefore(date, next) else { break }
      date = next
    }
    return date
  }

  /// Returns a time in the form that inspection shows.
  func inspected(_ time: Instant) -> Any { time }
}

/// A scheduler and an interval, including their types.
@usableFromInline @_fixed_layout
package final class SchedulerClock<Context: Scheduler>: ClockPlace {
  @usableFromInline package typealias Time = Context.SchedulerTimeType
  @usableFromInline package let scheduler: Context
  @usableFromInline package let options: Context.SchedulerOptions?
  @usableFromInline package let interval: Time.Stride
  /// The time by which timers may be late, by default the scheduler's minimum tolerance.
  @usableFromInline package let tolerance: Time.Stride?

  @inlinable @inline(never) @_optimize(size)
  package init(
    _ scheduler: Context, _ options: Context.SchedulerOptions?, _ interval: Time.Stride, tolerance: Time.Stride? = nil
  ) {
    self.scheduler = scheduler
    self.options = options
    self.interval = interval
    self.tolerance = tolerance
    super.init(
      deliver: {
        let place = unsafeDowncast($0, to: SchedulerClock.self)
        let engine = $1
        place.scheduler.schedule(options: place.options) { engine.run(.delivery) }
      },
      answer: {
        let place = unsafeDowncast($0, to: SchedulerClock.self)
        switch $1 {
        case .now: return Instant(place.scheduler.now)
        case .later(let time): return Instant(time.time(as: Time.self).advanced(by: place.interval))
        case .ifBefore(let time, let other): return time.time(as: Time.self) < other.time(as: Time.self) ? time : nil
        case .ifEqual(let time, let other): return time.time(as: Time.self) == other.time(as: Time.self) ? time : nil
        case .moved(let time, let former, let present):
          let shift = former.time(as: Time.self).distance(to: present.time(as: Time.self))
          return Instant(time.time(as: Time.self).advanced(by: shift))
        }
      },
      arm: { place, engine, number, date in
        let place = unsafeDowncast(place, to: SchedulerClock.self)
        // A closure that captures nothing but the engine needs no allocation.
        let work = number == 0 ? { engine.run(.timer(0)) } : { engine.run(.timer(number)) }
        return place.scheduler.scheduleOnce(
          after: date.time(as: Time.self), tolerance: place.tolerance ?? place.scheduler.minimumTolerance,
          options: place.options, work)
      })
  }

  override var inspected: Any? { scheduler }

  override func inspected(_ time: Instant) -> Any { time.time(as: Time.self) }
}

/// An actor as the place where an engine delivers.
package final class ActorPlace: Place {
  /// Not retained: the actor's state may hold this object, and the stream ends with the actor.
  private weak let actor: (any Actor)?

  /// Indicates whether the actor is the main actor, for which ``ExecutionEnvironment`` can determine at a lower cost whether
  /// the caller is on it.
  private let isMain: Bool

  init(_ actor: any Actor) {
    self.actor = actor
    isMain = actor === MainActor.shared
    super.init { unsafeDowncast($0, to: ActorPlace.self).schedule($1) }
  }

  private func schedule(_ engine: Engine) {
    if isMain, ExecutionEnvironment.current?.isOnMainActor() == true { return engine.run(.delivery) }
    guard let actor else { return engine.cancel() }
    // Unchecked: an engine may be used from any thread, because its lock protects its state.
    nonisolated(unsafe) let engine = engine
    ActorHop.run(on: actor, for: "receive(on:)") { engine.run(.delivery) }
  }

  override var inspected: Any? { actor }
}
