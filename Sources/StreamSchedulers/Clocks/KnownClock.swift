/// What the clocks of this package tell those who build on clocks.
protocol KnownClock<Duration>: Clock where Duration: Hashable {
  /// From where an eraser counts, so that the instants of all erasers of such a clock are the same.
  var anchor: Instant { get }

  /// Where sleeps are armed, if it is on a timeline.
  var face: ClockFace<Duration>? { get }

  /// What a timer of this clock sleeps on. A timer asks for it once.
  var timerClock: AnyClock<Duration>? { get }
}

extension KnownClock {
  var face: ClockFace<Duration>? { nil }
  var timerClock: AnyClock<Duration>? { nil }
}

/// A timeline, and how it counts the moments of a clock.
struct ClockFace<Duration: DurationProtocol>: @unchecked Sendable {
  // `Sendable` is unchecked because actions are plain closures, as Combine's are. What changes in a timeline is protected
  // by its lock.
  let timeline: Timeline

  /// The date, on the timeline, of the moment that is so far from the clock's anchor.
  let date: @Sendable (Duration) -> Int
}

extension ContinuousClock: KnownClock {
  private static let processAnchor = ContinuousClock().now
  var anchor: Instant { Self.processAnchor }
}

extension SuspendingClock: KnownClock {
  private static let processAnchor = SuspendingClock().now
  var anchor: Instant { Self.processAnchor }
}
