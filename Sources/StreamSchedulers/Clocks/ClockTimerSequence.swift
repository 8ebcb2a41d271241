internal import Streams

extension Clock where Duration: Hashable {
  /// Returns the moments at which an interval has gone by, again and again, as an asynchronous sequence.
  ///
  /// ```swift
  /// for await _ in clock.timer(interval: .seconds(1)) { secondsElapsed += 1 }
  /// ```
  ///
  /// - The timer starts when iteration does, and each iteration has its own; the first tick comes one interval later.
  /// - Ticks are planned ahead, each an interval after the one before, and an element is the moment for which its tick was
  ///   planned. However long the loop takes, they do not drift.
  /// - Ticks that go by while the loop is busy are left out; the next one is the next that is planned.
  /// - The sequence ends when the task is cancelled. Between the ticks, and when the loop is left, nothing stays armed.
  /// - An interval of zero or less is a mistake, which is reported; the sequence is empty then.
  ///
  /// Each tick costs a sleep on the clock.
  public func timer(
    interval: Duration, tolerance: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> ClockTimerSequence<Duration> {
    if !(interval > .zero) {
      reportIssue(
        "A timer was asked for with an interval of \(interval), which has to be longer than zero. It will not tick.",
        fileID: fileID, filePath: filePath, line: line, column: column)
    }
    return ClockTimerSequence(
      clock: AnyClock(forTimerOf: self), interval: interval, tolerance: tolerance)
  }
}

extension AnyClock {
  /// What a timer of a clock sleeps on.
  init<C: Clock>(forTimerOf clock: C) where C.Duration == Duration {
    self = (clock as? any KnownClock<Duration>)?.timerClock ?? AnyClock(clock)
  }
}

/// The ticks of a clock's timer; `Clock.timer(interval:)` makes it.
public struct ClockTimerSequence<Duration: DurationProtocol & Hashable>: AsyncSequence, Sendable {
  /// The moment of a tick.
  public typealias Element = AnyClock<Duration>.Instant

  /// A timer does not fail.
  public typealias Failure = Never

  let clock: AnyClock<Duration>
  let interval: Duration
  let tolerance: Duration?

  /// Starts a timer.
  public func makeAsyncIterator() -> Iterator {
    let isTicking = interval > .zero
    let ticks = PlannedTicks(interval: interval, next: isTicking ? clock.now.advanced(by: interval) : clock.anchor)
    return Iterator(clock: clock, tolerance: tolerance, ticks: isTicking ? ticks : nil)
  }

  /// A running timer.
  public struct Iterator: AsyncIteratorProtocol {
    let clock: AnyClock<Duration>
    let tolerance: Duration?
    var ticks: PlannedTicks<AnyClock<Duration>.Instant>?

    /// Waits for the next tick; returns `nil` when the task has been cancelled.
    public mutating func next() async -> Element? { await next(isolation: nil) }

    /// Waits for the next tick; returns `nil` when the task has been cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      let now = clock.now
      guard let planned = ticks?.take(at: now) else { return nil }
      do {
        try await clock.sleep(until: planned, tolerance: tolerance)
        return planned
      } catch {
        ticks = nil
        return nil
      }
    }
  }
}

@available(*, unavailable)
extension ClockTimerSequence.Iterator: Sendable {}

/// Moments one interval apart.
struct PlannedTicks<Instant: InstantProtocol> {
  /// Longer than zero.
  let interval: Instant.Duration
  var next: Instant

  /// The next planned moment that has not passed.
  mutating func take(at now: Instant) -> Instant {
    if next < now {
      let missed = Int(saturating: (next.duration(to: now) / interval).rounded(.down))
      next = next.advanced(by: interval * missed)
      // The division is not exact.
      while next < now { next = next.advanced(by: interval) }
    }
    defer { next = next.advanced(by: interval) }
    return next
  }
}
