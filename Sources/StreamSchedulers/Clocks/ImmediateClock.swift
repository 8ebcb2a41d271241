internal import Streams

/// A clock whose sleeps end immediately, because time jumps to each deadline.
///
/// Use it in tests and previews where only the outcome matters:
///
/// ```swift
/// let model = FeatureModel(clock: .immediate)
/// ```
///
/// Time never goes back, so a deadline in the past changes nothing. A timer on this clock ticks as fast as its loop consumes
/// the ticks. Stop it with `prefix(_:)` or by cancelling the task. The clock's scheduler, `clock.scheduler`, behaves the same
/// way.
public final class ImmediateClock<Duration: DurationProtocol & Hashable>: Clock, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it. The lock protects the instant.

  /// An instant of an immediate clock, stored as its distance from zero.
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

  private let moment: Locked<Instant>

  /// Creates a clock whose time starts at an instant.
  ///
  /// - Parameter now: The instant at which time starts.
  public init(now: Instant = Instant()) { moment = Locked(now) }

  /// Creates a `Swift.Duration` clock whose time starts at an instant.
  ///
  /// - Parameter now: The instant at which time starts.
  public init(now: Instant) where Duration == Swift.Duration { moment = Locked(now) }

  /// Creates a clock whose time starts at zero.
  public init() where Duration == Swift.Duration { moment = Locked(Instant()) }

  /// The current instant, which is the latest deadline so far, or the initial instant if that's later.
  public var now: Instant { moment.withLock { $0 } }

  /// Zero, because every sleep ends at its deadline.
  public var minimumResolution: Duration { .zero }

  /// Advances time to a deadline, yields to other tasks, and returns.
  ///
  /// It yields so that a loop of sleeps doesn't occupy an actor and can be cancelled.
  ///
  /// - Parameters:
  ///   - deadline: The instant to advance to. If it's in the past, the time doesn't change.
  ///   - tolerance: Ignored.
  /// - Throws: `CancellationError` if the task is already cancelled. Time then doesn't advance.
  nonisolated(nonsending)
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws
  {
    try Task.checkCancellation()
    moment.withLock { $0 = max($0, deadline) }
    await Task.yield()
  }

  /// Advances time by a `duration`, yields to other tasks, and returns, like ``sleep(until:tolerance:)``. If the duration is
  /// zero or less, the time doesn't change.
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
  /// A new immediate clock whose time starts at zero.
  ///
  /// ```swift
  /// let model = FeatureModel(clock: .immediate)
  /// ```
  @_disfavoredOverload
  public static var immediate: Self { ImmediateClock() }
}
