/// A clock of this package or of the standard library.
protocol KnownClock<Duration>: Clock where Duration: Hashable {
  /// The instant that type-erased copies count from. It's fixed for each kind of clock, so that their instants can be compared.
  /// The exception is a `SchedulerClock` on a live scheduler, which returns the current instant.
  var anchor: Instant { get }

  /// The timeline of the clock's sleeps, if it has one.
  var clockTimeline: ClockTimeline<Duration>? { get }

  /// The clock that this clock's timers sleep on, or `nil` for the clock itself. Each timer reads it once.
  var timerClock: AnyClock<Duration>? { get }
}

extension KnownClock {
  var clockTimeline: ClockTimeline<Duration>? { nil }
  var timerClock: AnyClock<Duration>? { nil }
}

/// A timeline, and the conversion from a clock's instants to the timeline's dates.
struct ClockTimeline<Duration: DurationProtocol>: @unchecked Sendable {
  // `Sendable` is unchecked because actions are plain closures, like Combine's. The timeline's lock protects its mutable state.
  let timeline: Timeline

  /// Converts a distance from the clock's anchor to a date on the timeline.
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
