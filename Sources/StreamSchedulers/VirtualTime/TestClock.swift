internal import Streams

/// A clock whose time stands still until a test advances it.
///
/// Let your code take the clock that it sleeps on as a parameter of type `any Clock<Duration>`. Pass a `ContinuousClock` in
/// your app and this clock in your tests:
///
/// ```swift
/// let clock = TestClock()
/// let model = FeatureModel(clock: clock)
///
/// model.poll()                           // starts a task, which sleeps a second
/// await clock.advance(by: .seconds(1))
/// ```
///
/// **Order.** Sleepers wake in order of deadline. By default, sleepers with the same deadline wake in the order in which they
/// fell asleep. Time moves from deadline to deadline: while a sleeper is being woken, ``now`` is that sleeper's deadline. Time
/// never goes back.
///
/// **Tasks.** The clock's *timeline* consists of its time and everything pending on it. The tasks on the timeline are those
/// that you start with `Task(on: clock.scheduler)`, or on a ``TestScheduler`` that shares the timeline (see
/// ``TestScheduler/clock``). They run inside `advance`, on the calling thread, and have done everything they can when it
/// returns. Any other task runs elsewhere after `advance` has woken it. An awaited `advance` waits for such a task at each
/// deadline. To wait until a given number of tasks sleep, use `await clock.armed(_:)`.
///
/// **Time** is counted in whole nanoseconds and ends at about 292 years: all later deadlines then count as reached, and timers
/// end. Durations are rounded to the nearest nanosecond, so a deadline less than half a nanosecond away counts as reached.
///
/// **Threads.** All members are thread-safe. **Cost.** Falling asleep and waking take O(log *n*), where *n* is the number of
/// sleepers. **Mistakes** are reported at the line that made them and change nothing.
public final class TestClock<Duration: VirtualDuration>: Clock {
  /// An instant of a test clock, stored as its distance from zero.
  public struct Instant: InstantProtocol, Hashable, Sendable, CustomStringConvertible {
    /// The distance from zero.
    public var offset: Duration

    /// Creates an instant at a distance from zero.
    ///
    /// - Parameter offset: The distance from zero.
    public init(offset: Duration = .zero) { self.offset = offset }

    /// Returns the instant that is a duration later. With `Swift.Duration`, the result is clamped to the first and the last
    /// instant.
    public func advanced(by duration: Duration) -> Self { Self(offset: offset.addingSaturating(duration)) }

    public func duration(to other: Self) -> Duration { other.offset.subtractingSaturating(offset) }

    // Not declared as an operator, for the reason that `ClockStride` gives.

    /// Returns whether the first instant is before the second.
    @_implements(Comparable,<(_:_:))
    public static func _isBefore(lhs: Self, rhs: Self) -> Bool { lhs.offset < rhs.offset }

    /// The distance from zero, as text.
    public var description: String { "\(offset)" }
  }

  package let timeline: Timeline
  let budget = TimelineBudget()

  /// The instant at which the timeline begins.
  let origin: Instant

  /// Creates a clock whose time stands at an instant.
  ///
  /// - Parameter now: The instant at which time begins.
  public convenience init(now: Instant = Instant()) { self.init(now: now, on: Timeline()) }

  /// Creates a `Swift.Duration` clock whose time stands at an instant.
  ///
  /// - Parameter now: The instant at which time begins.
  public convenience init(now: Instant) where Duration == Swift.Duration { self.init(now: now, on: Timeline()) }

  /// Creates a clock whose time stands at zero.
  public convenience init() where Duration == Swift.Duration { self.init(now: Instant(), on: Timeline()) }

  /// Creates a clock on an existing timeline. `now` is the clock's instant at the beginning of that timeline.
  init(now: Instant, on timeline: Timeline) {
    self.timeline = timeline
    origin = now
  }

  /// The current instant. While a sleeper is being woken, it's the sleeper's deadline.
  public var now: Instant { instant(at: timeline.now) }

  /// Zero, because virtual time is exact.
  public var minimumResolution: Duration { .zero }

  /// Suspends the calling task until time has advanced to a deadline.
  ///
  /// If the deadline isn't in the future, the call returns immediately.
  ///
  /// - Parameters:
  ///   - deadline: The instant to resume at.
  ///   - tolerance: Ignored.
  /// - Throws: `CancellationError` if the task is cancelled before the call or the deadline. The sleep then ends at the current
  ///   instant, and nothing stays scheduled.
  nonisolated(nonsending)
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws
  {
    try await timeline.sleep(until: offset(of: deadline))
  }

  /// Suspends the calling task until time has advanced by a duration.
  ///
  /// For a duration of zero or less, the call returns immediately.
  ///
  /// - Parameters:
  ///   - duration: The time to sleep.
  ///   - tolerance: Ignored.
  /// - Throws: `CancellationError` in the same cases as ``sleep(until:tolerance:)``.
  nonisolated(nonsending)
    public func sleep(for duration: Duration, tolerance: Duration? = nil) async throws
  {
    // The duration is added on the timeline, because the clock's own instants saturate if the clock begins late.
    try await timeline.sleep(until: timeline.now.addingSaturating(duration.virtualNanoseconds))
  }

  func instant(at offset: Int) -> Instant { origin.advanced(by: Duration(virtualNanoseconds: offset)) }
  func offset(of instant: Instant) -> Int { origin.duration(to: instant).virtualNanoseconds }
}

// `Sendable` is unchecked because actions are plain closures, like Combine's. The mutable state is in the timeline, protected by
// its lock. The rest is constant.
extension TestClock: @unchecked Sendable {}

extension TestClock: KnownClock {
  var anchor: Instant { Instant() }

  var clockTimeline: ClockTimeline<Duration>? {
    let origin = origin
    return ClockTimeline(timeline: timeline) { $0.subtractingSaturating(origin.offset).virtualNanoseconds }
  }
}

extension Clock where Self == TestClock<Swift.Duration> {
  /// A new test clock whose time stands at zero.
  @_disfavoredOverload
  public static var test: Self { TestClock() }
}
