public import Streams

extension Scheduler where SchedulerTimeType: Hashable & Sendable {
  /// Returns this scheduler as a clock, for code that takes `any Clock<Duration>`.
  ///
  /// ```swift
  /// let model = FeatureModel(clock: DispatchQueue.main.asClock())
  /// ```
  ///
  /// A test scheduler also has its own clock. See ``TestScheduler/clock``.
  ///
  /// - Returns: A clock with this scheduler's time.
  @_disfavoredOverload
  public func asClock() -> SchedulerClock<Self> { SchedulerClock(self) }
}

/// A clock with a scheduler's time, returned by `scheduler.asClock()`.
///
/// Sleeps are actions of the scheduler. On a test scheduler, they end when you advance time far enough. On a queue, they're
/// timers. Durations are rounded to whole nanoseconds, or to the scheduler's own resolution if that's coarser.
public struct SchedulerClock<S: Scheduler>: Clock, @unchecked Sendable where S.SchedulerTimeType: Hashable & Sendable {
  // `Sendable` is unchecked because a scheduler doesn't have to be marked as `Sendable`, but has to accept work from any
  // thread.

  /// An instant of a scheduler's time.
  public struct Instant: InstantProtocol, Hashable, Sendable {
    /// The scheduler's own representation of the instant.
    public var date: S.SchedulerTimeType

    /// Creates an instant from the scheduler's own representation.
    ///
    /// - Parameter date: The scheduler's date.
    public init(_ date: S.SchedulerTimeType) { self.date = date }

    public func advanced(by duration: Duration) -> Self {
      Self(date.advanced(by: .nanoseconds(duration.virtualNanoseconds)))
    }

    public func duration(to other: Self) -> Duration { .nanoseconds(date.distance(to: other.date).nanoseconds) }

    // Not declared as an operator, for the reason that `ClockStride` gives.

    /// Returns whether the first instant is before the second.
    @_implements(Comparable,<(_:_:))
    public static func _isBefore(lhs: Self, rhs: Self) -> Bool { lhs.date < rhs.date }
  }

  package let scheduler: S

  package init(_ scheduler: S) { self.scheduler = scheduler }

  /// The scheduler's current date, as an instant.
  public var now: Instant { Instant(scheduler.now) }

  /// The smallest tolerance that the scheduler uses.
  public var minimumResolution: Duration { .nanoseconds(scheduler.minimumTolerance.nanoseconds) }

  /// Suspends the calling task until the scheduler's time reaches a deadline.
  ///
  /// If the deadline isn't in the future, the call returns immediately.
  ///
  /// - Parameters:
  ///   - deadline: The instant to resume at.
  ///   - tolerance: The duration by which the wake-up may be late, or `nil` for the scheduler's minimum tolerance.
  /// - Throws: `CancellationError` if the task is cancelled before the call or the deadline. The wake-up is then cancelled.
  nonisolated(nonsending)
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws
  {
    if let clockTimeline {
      return try await clockTimeline.timeline.sleep(until: clockTimeline.date(anchor.duration(to: deadline)))
    }
    let stride = tolerance.map { S.SchedulerTimeType.Stride.nanoseconds($0.virtualNanoseconds) }
    try await scheduler.sleep(until: deadline.date, tolerance: stride ?? scheduler.minimumTolerance)
  }

  /// Suspends the calling task for a `duration` in the scheduler's time, like ``sleep(until:tolerance:)``.
  nonisolated(nonsending)
    public func sleep(for duration: Duration, tolerance: Duration? = nil) async throws
  {
    try await sleep(until: now.advanced(by: duration), tolerance: tolerance)
  }
}

/// A scheduler that works on a timeline.
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

  var clockTimeline: ClockTimeline<Duration>? {
    timelineScheduler.map { ClockTimeline(timeline: $0.timeline) { $0.virtualNanoseconds } }
  }
}
