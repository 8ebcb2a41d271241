/// The place where an engine delivers: a scheduler or an actor.
///
/// The closures capture nothing. They are created where the scheduler's type is known, so they call specialized code.
@usableFromInline @_fixed_layout
package class Place {
  @usableFromInline package typealias Deliver = (Place, Gate) -> Void
  /// Schedules a delivery of the gate.
  @usableFromInline package final let deliver: Deliver

  @inlinable
  package init(deliver: @escaping Deliver) { self.deliver = deliver }

  /// The scheduler or the actor, for the inspection.
  var inspected: Any? { nil }

  /// Tells the scheduler or the actor.
  final func tellPlace(_ tell: StreamFact.Tell) {
    if let inspected { tell(.place, 0, StreamFact.Box(inspected)) }
  }
}

/// A scheduler as the place where an engine delivers.
@usableFromInline @_fixed_layout
package final class OnlyScheduler<Context: Scheduler>: Place {
  @usableFromInline package let scheduler: Context
  @usableFromInline package let options: Context.SchedulerOptions?

  @inlinable @inline(never) @_optimize(size)
  package init(_ scheduler: Context, _ options: Context.SchedulerOptions?) {
    self.scheduler = scheduler
    self.options = options
    super.init {
      let place = unsafeDowncast($0, to: OnlyScheduler.self)
      let gate = $1
      // The closure captures nothing but the gate, so it needs no allocation.
      place.scheduler.schedule(options: place.options) { gate.run(.delivery) }
    }
  }

  override var inspected: Any? { scheduler }
}

/// An actor as the place where an engine delivers.
final class OnlyActor: Place {
  private let place: ActorPlace

  init(_ place: ActorPlace) {
    self.place = place
    super.init { unsafeDowncast($0, to: OnlyActor.self).place.schedule($1) }
  }

  override var inspected: Any? { place.inspected }
}

extension Place {
  /// An actor as the place where an engine delivers.
  @usableFromInline
  package static func actor(_ actor: any Actor) -> Place { OnlyActor(ActorPlace(actor)) }
}

/// A scheduler with an interval, whose times an engine compares and computes without knowing their type.
@usableFromInline @_fixed_layout
package class ClockPlace: Place {
  /// What a place computes.
  @usableFromInline @frozen
  package enum Question {
    /// The present time. It's asked without a lock, because that's code of a user.
    case now
    /// The time an interval later.
    case later(Instant)
    /// The time at which a timer is to fire that is armed at a time, for an interval that ends at a date, if that is known, after
    /// another timer that was armed for an earlier date.
    case deadline(Instant, until: Instant?, armed: Instant?)
  }

  @usableFromInline package typealias Answer = (ClockPlace, Question) -> Instant
  @usableFromInline package typealias Arm = (ClockPlace, Gate, Int, Instant) -> TimerObject

  @usableFromInline package final let answer: Answer
  /// Schedules a timer of the gate, by its number.
  @usableFromInline package final let arm: Arm

  @inlinable
  package init(deliver: @escaping Deliver, answer: @escaping Answer, arm: @escaping Arm) {
    self.answer = answer
    self.arm = arm
    super.init(deliver: deliver)
  }

  @inline(__always)
  final func ask(_ question: Question) -> Instant { answer(self, question) }

  /// A time for the inspection.
  func inspected(_ time: Instant) -> Any { time }
}

/// A scheduler with an interval, and their types.
@usableFromInline @_fixed_layout
package final class SchedulerClock<Context: Scheduler>: ClockPlace {
  @usableFromInline package typealias Time = Context.SchedulerTimeType
  @usableFromInline package let scheduler: Context
  @usableFromInline package let options: Context.SchedulerOptions?
  @usableFromInline package let interval: Time.Stride

  @inlinable @inline(never) @_optimize(size)
  package init(_ scheduler: Context, _ options: Context.SchedulerOptions?, _ interval: Time.Stride) {
    self.scheduler = scheduler
    self.options = options
    self.interval = interval
    super.init(
      deliver: {
        let place = unsafeDowncast($0, to: SchedulerClock.self)
        let gate = $1
        place.scheduler.schedule(options: place.options) { gate.run(.delivery) }
      },
      answer: {
        let place = unsafeDowncast($0, to: SchedulerClock.self)
        switch $1 {
        case .now: return Instant(place.scheduler.now)
        case .later(let time): return Instant(time.time(as: Time.self).advanced(by: place.interval))
        case .deadline(let now, let date, let armedDate):
          return place.deadline(
            now.time(as: Time.self), until: date?.time(as: Time.self), armed: armedDate?.time(as: Time.self))
        }
      },
      arm: { place, gate, number, date in
        let place = unsafeDowncast(place, to: SchedulerClock.self)
        return place.scheduler.scheduleOnce(
          after: date.time(as: Time.self), tolerance: place.scheduler.minimumTolerance, options: place.options
        ) { gate.run(.timer(number)) }
      })
  }

  /// Returns the date after what is left of the interval.
  ///
  /// Timers measure time. The scheduler's clock may be set while one is armed, so that the clock alone says neither how much
  /// time has passed nor how much is left. The timer before this one has fired at its date, whatever the clock reads now. If
  /// the clock was set, either what was left at that date or what is left now is right. The longer time is taken, because an
  /// interval keeps its length, but no more than a whole interval.
  @inlinable @inline(never) @_optimize(size)
  package func deadline(_ now: Time, until date: Time?, armed armedDate: Time?) -> Instant {
    guard let date else { return Instant(now.advanced(by: interval)) }
    let left = now.distance(to: date)
    let remainder = min(armedDate.map { max(left, $0.distance(to: date)) } ?? left, interval)
    return Instant(now.advanced(by: remainder))
  }

  override var inspected: Any? { scheduler }

  override func inspected(_ time: Instant) -> Any { time.time(as: Time.self) }
}
