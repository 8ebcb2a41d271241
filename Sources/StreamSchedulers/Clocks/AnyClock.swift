internal import Streams

/// A type-erased clock.
///
/// Use it instead of `any Clock<Duration>` if you need the type of an instant:
///
/// ```swift
/// let clock = AnyClock(ContinuousClock())
/// let deadline = clock.now.advanced(by: .seconds(5))
/// ```
///
/// If you type-erase a `ContinuousClock`, a `SuspendingClock` or one of this package's clocks several times, you can compare
/// the instants of the resulting clocks. Instants of any other clock, and of a ``SchedulerClock`` whose scheduler isn't a
/// ``TestScheduler``, count from when you create the type-erased clock. You can compare them only within that clock and its
/// copies.
///
/// It forwards every call to the wrapped clock through at most one closure.
public struct AnyClock<Duration: DurationProtocol & Hashable>: Clock {
  /// An instant of a type-erased clock, stored as its distance from the clock's reference instant.
  public struct Instant: InstantProtocol, Hashable, Sendable, CustomStringConvertible {
    /// The distance from the reference instant.
    public let offset: Duration

    /// Returns the instant that is a duration later. With `Swift.Duration`, the result is clamped to the first and the last
    /// instant.
    public func advanced(by duration: Duration) -> Self { Self(offset: offset.addingSaturating(duration)) }

    public func duration(to other: Self) -> Duration { other.offset.subtractingSaturating(offset) }

    // Not declared as an operator, for the reason that `ClockStride` gives.

    /// Returns whether the first instant is before the second.
    @_implements(Comparable,<(_:_:))
    public static func _isBefore(lhs: Self, rhs: Self) -> Bool { lhs.offset < rhs.offset }

    /// The distance from the reference instant, as text.
    public var description: String { "\(offset)" }
  }

  private let members: AnyClockMembers<Duration>

  /// Creates a clock that forwards to another clock.
  ///
  /// Wrapping an `AnyClock` returns a copy of it.
  ///
  /// - Parameter clock: The clock to wrap.
  public init<C: Clock>(_ clock: C) where C.Duration == Duration {
    members = (clock as? Self)?.members ?? AnyClockMembers(clock)
  }

  /// The current instant of the wrapped clock.
  public var now: Instant { Instant(offset: members.now()) }

  /// The minimum resolution of the wrapped clock.
  public var minimumResolution: Duration { members.minimumResolution() }

  /// Suspends the calling task until the wrapped clock reaches a deadline.
  ///
  /// - Parameters:
  ///   - deadline: The instant to resume at.
  ///   - tolerance: The duration by which the wake-up may be late, or `nil` for the clock's default.
  /// - Throws: The error that the wrapped clock throws, or `CancellationError` if the task is cancelled.
  nonisolated(nonsending)
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws
  {
    // Called directly, so that the caller stays on its actor until the sleep is armed.
    if let clockTimeline { return try await clockTimeline.timeline.sleep(until: clockTimeline.date(deadline.offset)) }
    try await members.sleep(deadline.offset, tolerance)
  }

  /// Suspends the calling task for a `duration` in the wrapped clock's time, like ``sleep(until:tolerance:)``.
  nonisolated(nonsending)
    public func sleep(for duration: Duration, tolerance: Duration? = nil) async throws
  {
    try await sleep(until: now.advanced(by: duration), tolerance: tolerance)
  }
}

extension AnyClock: KnownClock {
  var anchor: Instant { Instant(offset: .zero) }
  var clockTimeline: ClockTimeline<Duration>? { members.clockTimeline }
  var timerClock: AnyClock? { members.timerClock() }
}

/// The closures of a type-erased clock, in one object so that copying the clock costs one retain.
private final class AnyClockMembers<Duration: DurationProtocol & Hashable>: Sendable {
  let now: @Sendable () -> Duration
  let minimumResolution: @Sendable () -> Duration
  let sleep: nonisolated(nonsending) @Sendable (Duration, Duration?) async throws -> Void
  let clockTimeline: ClockTimeline<Duration>?
  let timerClock: @Sendable () -> AnyClock<Duration>?

  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let known = clock as? any KnownClock<Duration>
    let anchor = known?.anchor as? C.Instant ?? clock.now
    now = { anchor.duration(to: clock.now) }
    minimumResolution = { clock.minimumResolution }
    // The instants of this package's clocks saturate. The standard library's stop the program on overflow.
    @Sendable func limited(_ duration: Duration) -> Duration {
      let clamped = duration.clampedForLiveClock
      return clamped == duration || clock is any CallersClock<Duration> ? duration : clamped
    }
    sleep = { try await clock.sleep(until: anchor.advanced(by: limited($0)), tolerance: $1.map(limited)) }
    // `clockTimeline` counts from the same anchor.
    clockTimeline = known?.clockTimeline
    timerClock = { known?.timerClock }
  }
}
