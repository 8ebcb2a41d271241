internal import Streams

/// A clock that hides which clock it is.
///
/// It is needed where `any Clock<Duration>` does not do, because an instant has to have a type:
///
/// ```swift
/// let clock = AnyClock(ContinuousClock())
/// let deadline = clock.now.advanced(by: .seconds(5))
/// ```
///
/// The instants of all erasers of a `ContinuousClock`, of a `SuspendingClock`, and of a clock of this package can be
/// compared with each other. Those of another clock belong to the eraser that made them, which counts from the moment
/// when it was made, and to its copies.
///
/// It does what the clock does that it was made from, and adds one call through a closure to each use.
public struct AnyClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A moment of a clock: how far it is from where the eraser counts.
  public struct Instant: InstantProtocol, Hashable, Sendable, CustomStringConvertible {
    /// How far the moment is from where the eraser counts.
    public let offset: Duration

    /// Returns the moment that is a duration later.
    public func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }

    /// Returns how far it is to another moment.
    public func duration(to other: Self) -> Duration { other.offset - offset }

    /// Whether one moment is before another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.offset < rhs.offset }

    /// How far the moment is from where the eraser counts, as text.
    public var description: String { "\(offset)" }
  }

  private let members: AnyClockMembers<Duration>

  /// Makes one that does what another clock does.
  ///
  /// If that is an `AnyClock` itself, nothing is added to it.
  public init<C: Clock>(_ clock: C) where C.Duration == Duration {
    members = (clock as? Self)?.members ?? AnyClockMembers(clock)
  }

  /// The present moment of the clock.
  public var now: Instant { Instant(offset: members.now()) }

  /// The smallest duration that makes a difference to the clock.
  public var minimumResolution: Duration { members.minimumResolution() }

  /// Waits until a deadline, as the clock does.
  nonisolated(nonsending)
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws
  {
    // Directly, so that the caller stays on its actor until it is armed.
    if let face { return try await face.timeline.sleep(until: face.date(deadline.offset)) }
    try await members.sleep(deadline.offset, tolerance)
  }

  /// Waits until a duration has gone by, as the clock does.
  nonisolated(nonsending)
    public func sleep(for duration: Duration, tolerance: Duration? = nil) async throws
  {
    try await sleep(until: now.advanced(by: duration), tolerance: tolerance)
  }
}

extension AnyClock: KnownClock {
  var anchor: Instant { Instant(offset: .zero) }
  var face: ClockFace<Duration>? { members.face }
  var timerClock: AnyClock? { members.timerClock() }
}

/// What an erased clock calls; one object, so that copying the clock costs one reference.
private final class AnyClockMembers<Duration: DurationProtocol & Hashable>: Sendable {
  let now: @Sendable () -> Duration
  let minimumResolution: @Sendable () -> Duration
  let sleep: nonisolated(nonsending) @Sendable (Duration, Duration?) async throws -> Void
  let face: ClockFace<Duration>?
  let timerClock: @Sendable () -> AnyClock<Duration>?

  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let known = clock as? any KnownClock<Duration>
    let anchor = known?.anchor as? C.Instant ?? clock.now
    now = { anchor.duration(to: clock.now) }
    minimumResolution = { clock.minimumResolution }
    sleep = { try await clock.sleep(until: anchor.advanced(by: $0), tolerance: $1) }
    // It counts from the same moment.
    face = known?.face
    timerClock = { known?.timerClock }
  }
}
