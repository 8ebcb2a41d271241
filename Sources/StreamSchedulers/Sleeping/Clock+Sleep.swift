/// A clock whose `sleep(for:tolerance:)` starts on the caller's actor.
protocol CallersClock<Duration>: Clock {
  nonisolated(nonsending)
    func sleep(for duration: Duration, tolerance: Duration?) async throws
}

extension TestClock: CallersClock {}
extension ImmediateClock: CallersClock {}
extension UnimplementedClock: CallersClock {}
extension SchedulerClock: CallersClock {}
extension AnyClock: CallersClock {}

extension Clock where Duration: Hashable {
  /// Suspends the calling task for a duration in the clock's time.
  ///
  /// This method replaces the standard library's method of the same name, which hops to the global concurrent executor before
  /// it reaches the clock. With this package's clocks, the caller stays on its actor until it sleeps, even if you use the clock
  /// as `any Clock<Duration>`. An awaited `advance` of a ``TestClock`` on that actor therefore doesn't miss the sleep. With
  /// other clocks, the method behaves like the standard library's, except that it clamps a `Swift.Duration` to 292 years.
  ///
  /// - Parameters:
  ///   - duration: The time to sleep.
  ///   - tolerance: The duration by which the wake-up may be late, or `nil` for the clock's default.
  /// - Throws: The error that the clock throws, usually `CancellationError` if the task is cancelled.
  nonisolated(nonsending)
    public func sleep(for duration: Duration, tolerance: Duration? = nil) async throws
  {
    if let clock = self as? any CallersClock<Duration> {
      try await clock.sleep(for: duration, tolerance: tolerance)
    } else {
      try await sleep(
        until: now.advanced(by: duration.clampedForLiveClock), tolerance: tolerance?.clampedForLiveClock)
    }
  }
}
