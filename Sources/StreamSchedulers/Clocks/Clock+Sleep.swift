/// A clock whose sleeps begin on the actor of their caller.
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
  /// Waits until a duration has gone by, as the clock does.
  ///
  /// It takes the place of the standard library's function of this name, which goes through the threads of the process before
  /// the clock hears of it. On a clock of this package, the caller stays on its actor until it sleeps, also through
  /// `any Clock<Duration>`: so an `advance` of a ``TestClock`` that is awaited there does not miss it. On all other clocks it
  /// does the same as before.
  nonisolated(nonsending)
    public func sleep(for duration: Duration, tolerance: Duration? = nil) async throws
  {
    if let clock = self as? any CallersClock<Duration> {
      try await clock.sleep(for: duration, tolerance: tolerance)
    } else {
      try await sleep(until: now.advanced(by: duration), tolerance: tolerance)
    }
  }
}
