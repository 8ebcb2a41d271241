internal import Streams

/// A clock on which nobody waits: every sleep is over at once, and time moves on to its deadline.
///
/// It takes the waiting out of code that works with time, in tests and previews where only the outcome counts:
///
/// ```swift
/// let model = FeatureModel(clock: .immediate)
/// ```
///
/// Time never goes back: a deadline that has passed changes nothing. A timer on it ticks as fast as its loop takes the
/// ticks; stop it with `prefix(_:)`, or by cancelling the task. Its scheduler, `clock.scheduler`, does the same.
public final class ImmediateClock<Duration: DurationProtocol & Hashable>: Clock, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the moment.

  /// A moment of an immediate clock: how far it is from zero.
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

  private let moment: Locked<Instant>

  /// Makes a clock whose time stands at a moment.
  public init(now: Instant = Instant()) { moment = Locked(now) }

  /// Makes a clock whose time stands at a moment.
  public init(now: Instant) where Duration == Swift.Duration { moment = Locked(now) }

  /// Makes a clock whose time stands at zero.
  public init() where Duration == Swift.Duration { moment = Locked(Instant()) }

  /// The present moment: the latest deadline of all sleeps.
  public var now: Instant { moment.withLock { $0 } }

  /// Zero: every sleep ends at its deadline.
  public var minimumResolution: Duration { .zero }

  /// Moves time on to a deadline, lets others run, and returns.
  ///
  /// Others run first so that a loop of sleeps does not keep an actor for itself, and can be cancelled.
  ///
  /// - Throws: `CancellationError` if the task is cancelled already; time stays where it is then.
  nonisolated(nonsending)
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws
  {
    try Task.checkCancellation()
    moment.withLock { $0 = max($0, deadline) }
    await Task.yield()
  }

  /// Moves time on by a duration, lets others run, and returns.
  ///
  /// - Throws: `CancellationError` if the task is cancelled already; time stays where it is then.
  nonisolated(nonsending)
    public func sleep(for duration: Duration, tolerance: Duration? = nil) async throws
  {
    try Task.checkCancellation()
    moment.withLock { $0 = max($0, $0.advanced(by: duration)) }
    await Task.yield()
  }
}

extension ImmediateClock: KnownClock {
  var anchor: Instant { Instant() }
}

extension Clock where Self == ImmediateClock<Swift.Duration> {
  /// A new immediate clock, whose time stands at zero.
  public static var immediate: Self { ImmediateClock() }
}
