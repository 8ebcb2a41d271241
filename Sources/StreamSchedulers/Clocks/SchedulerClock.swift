public import Streams

extension Scheduler where SchedulerTimeType: Hashable & Sendable {
  /// Returns this scheduler as a clock, for code that takes `any Clock<Duration>`.
  ///
  /// ```swift
  /// let model = FeatureModel(clock: DispatchQueue.main.asClock())
  /// ```
  ///
  /// A test scheduler has a clock of its own as well, see ``TestScheduler/clock``.
  public func asClock() -> SchedulerClock<Self> { SchedulerClock(self) }
}

/// A scheduler that is used as a clock; `scheduler.asClock()` makes it.
///
/// Sleeps are actions of the scheduler: on a test scheduler they end when a test advances far enough, on a queue they are
/// timers. Its durations are whole nanoseconds, as far as the scheduler's time has them.
public struct SchedulerClock<S: Scheduler>: Clock, @unchecked Sendable where S.SchedulerTimeType: Hashable & Sendable {
  // `Sendable` is unchecked because a scheduler need not be marked so, but has to take work from any thread.

  /// A moment of a scheduler's time.
  public struct Instant: InstantProtocol, Hashable, Sendable {
    /// The moment as the scheduler has it.
    public var date: S.SchedulerTimeType

    /// Makes one from the scheduler's own.
    public init(_ date: S.SchedulerTimeType) { self.date = date }

    /// Returns the moment that is a duration later.
    public func advanced(by duration: Duration) -> Self {
      Self(date.advanced(by: .nanoseconds(duration.virtualNanoseconds)))
    }

    /// Returns how far it is to another moment.
    public func duration(to other: Self) -> Duration { .nanoseconds(date.distance(to: other.date).nanoseconds) }

    /// Whether one moment is before another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.date < rhs.date }
  }

  /// The scheduler.
  public let scheduler: S

  /// Makes a clock of a scheduler.
  public init(_ scheduler: S) { self.scheduler = scheduler }

  /// The present moment of the scheduler.
  public var now: Instant { Instant(scheduler.now) }

  /// The smallest tolerance that the scheduler makes use of.
  public var minimumResolution: Duration { .nanoseconds(scheduler.minimumTolerance.nanoseconds) }

  /// Waits until the scheduler's time has come to a deadline.
  ///
  /// A deadline that has come already or has passed ends the wait at once.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, before or while it waits; nothing stays armed then.
  nonisolated(nonsending)
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws
  {
    if let face { return try await face.timeline.sleep(until: face.date(anchor.duration(to: deadline))) }
    let stride = tolerance.map { S.SchedulerTimeType.Stride.nanoseconds($0.virtualNanoseconds) }
    try await scheduler.sleep(until: deadline.date, tolerance: stride ?? scheduler.minimumTolerance)
  }

  /// Waits until a duration of the scheduler's time has gone by.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, before or while it waits; nothing stays armed then.
  nonisolated(nonsending)
    public func sleep(for duration: Duration, tolerance: Duration? = nil) async throws
  {
    try await sleep(until: now.advanced(by: duration), tolerance: tolerance)
  }
}

/// A scheduler that is a face of a timeline.
protocol TimelineScheduler<SchedulerTimeType>: Scheduler {
  var timeline: Timeline { get }

  /// The date at which the timeline begins.
  var origin: SchedulerTimeType { get }
}

extension TestScheduler: TimelineScheduler {}

extension SchedulerClock: KnownClock {
  private var timelineScheduler: (any TimelineScheduler<S.SchedulerTimeType>)? {
    scheduler as? any TimelineScheduler<S.SchedulerTimeType>
  }

  var anchor: Instant { Instant(timelineScheduler?.origin ?? scheduler.now) }

  var face: ClockFace<Duration>? {
    timelineScheduler.map { ClockFace(timeline: $0.timeline) { $0.virtualNanoseconds } }
  }
}
