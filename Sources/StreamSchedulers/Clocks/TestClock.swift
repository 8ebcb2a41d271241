internal import Streams

/// A clock whose time stands still until a test moves it on.
///
/// Code that waits takes its clock from outside, as `any Clock<Duration>`. An app hands it a `ContinuousClock`, a test this:
///
/// ```swift
/// let clock = TestClock()
/// let model = FeatureModel(clock: clock)
///
/// model.load()                           // starts a task, which sleeps a second
/// await clock.advance(by: .seconds(1))
/// ```
///
/// **Order.** Sleepers wake by deadline, those of one deadline in the order in which they fell asleep. Time moves from
/// deadline to deadline: while one wakes, ``now`` is its deadline. Time never goes back.
///
/// **Tasks.** Those on the clock's timeline run inside of `advance`, on the thread that calls it, and have done everything
/// that they can when it returns: those that are started with `Task(on: clock.scheduler)`, or on a ``TestScheduler`` that
/// shares the timeline, see ``TestScheduler/clock``. Any other task is woken, but what it does then takes its time: with
/// `await`, `advance` lets it come to rest at each deadline, and `await clock.armed(_:)` waits until so many sleep.
///
/// **Time** is counted in whole nanoseconds, 292 years long; what is longer stops there. A duration is the nearest such
/// number, so that a deadline less than half a nanosecond away has come.
///
/// **Threads.** Everything may be called from any thread. **Cost.** Falling asleep and waking is logarithmic in the number
/// of sleepers. **Mistakes** are reported at the line that made them, and change nothing.
public final class TestClock<Duration: VirtualDuration>: Clock {
  /// A moment of a test clock: how far it is from the clock's beginning.
  public struct Instant: InstantProtocol, Hashable, Sendable, CustomStringConvertible {
    /// How far the moment is from zero.
    public var offset: Duration

    /// Makes a moment that is so far from zero.
    public init(offset: Duration = .zero) { self.offset = offset }

    /// Returns the moment that is a duration later.
    public func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }

    /// Returns how far it is to another moment.
    public func duration(to other: Self) -> Duration { other.offset - offset }

    /// Whether one moment is before another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.offset < rhs.offset }

    /// How far the moment is from zero, as text.
    public var description: String { "\(offset)" }
  }

  package let timeline: Timeline
  let budget = TimelineBudget()

  /// The moment at which the timeline begins.
  let origin: Instant

  /// Makes a clock whose time stands at a moment.
  public convenience init(now: Instant = Instant()) { self.init(now: now, on: Timeline()) }

  /// Makes a clock whose time stands at a moment.
  public convenience init(now: Instant) where Duration == Swift.Duration { self.init(now: now, on: Timeline()) }

  /// Makes a clock whose time stands at zero.
  public convenience init() where Duration == Swift.Duration { self.init(now: Instant(), on: Timeline()) }

  /// Makes a clock that is a face of a timeline; the moment is that of the timeline's beginning.
  init(now: Instant, on timeline: Timeline) {
    self.timeline = timeline
    origin = now
  }

  /// The present moment; while a sleeper is woken, its deadline.
  public var now: Instant { instant(at: timeline.now) }

  /// Zero: virtual time is exact.
  public var minimumResolution: Duration { .zero }

  /// Waits until time has been moved on to a deadline.
  ///
  /// A deadline that has come already or has passed ends the wait at once. Tolerance makes no difference.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, before or while it waits; at the present moment, and nothing
  ///   stays armed. A task that is cancelled after its deadline has been reached is not told.
  nonisolated(nonsending)
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws
  {
    try await timeline.sleep(until: offset(of: deadline))
  }

  /// Waits until time has been moved on by a duration.
  ///
  /// It does what ``sleep(until:tolerance:)`` does. The duration counts from the call; one of zero or less is over already.
  nonisolated(nonsending)
    public func sleep(for duration: Duration, tolerance: Duration? = nil) async throws
  {
    try await sleep(until: now.advanced(by: duration))
  }

  func instant(at offset: Int) -> Instant { origin.advanced(by: Duration(virtualNanoseconds: offset)) }
  func offset(of instant: Instant) -> Int { origin.duration(to: instant).virtualNanoseconds }
}

// `Sendable` is unchecked because actions are plain closures, as Combine's are. What changes is in the timeline, which is
// protected by its lock; the rest is constant.
extension TestClock: @unchecked Sendable {}

extension TestClock: KnownClock {
  var anchor: Instant { Instant() }

  var face: ClockFace<Duration>? {
    let origin = origin
    return ClockFace(timeline: timeline) { ($0 - origin.offset).virtualNanoseconds }
  }
}

extension Clock where Self == TestClock<Swift.Duration> {
  /// A new test clock, whose time stands at zero.
  public static var test: Self { TestClock() }
}
