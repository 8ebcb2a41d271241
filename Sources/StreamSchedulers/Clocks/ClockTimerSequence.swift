internal import Streams

extension Clock where Duration: Hashable {
  /// Returns an asynchronous sequence that produces an instant after each interval.
  ///
  /// ```swift
  /// for await _ in clock.timer(interval: .seconds(1)) { secondsElapsed += 1 }
  /// ```
  ///
  /// - Each iteration has its own timer, which starts when the iterator is created. The first tick comes one interval later.
  /// - Ticks are planned ahead, each one interval after the previous one. Ticks don't drift, however long your loop takes.
  /// - Ticks that become due while your loop is busy are skipped.
  /// - The sequence ends when the task is cancelled, when the clock's sleep fails, and at the end of a clock's virtual time.
  ///   Nothing stays scheduled while the loop body runs or after the loop.
  /// - An interval of zero or less is reported, and the sequence is empty.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks.
  ///   - tolerance: The duration by which a tick may be late, or `nil` for the clock's default.
  /// - Returns: An asynchronous sequence of the instants for which the ticks are planned.
  /// - Complexity: One sleep on the clock for each tick.
  @_disfavoredOverload
  public func timer(
    interval: Duration, tolerance: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> ClockTimerSequence<Duration> {
    if !(interval > .zero) {
      reportIssue(
        "A timer requires an interval longer than zero, got \(interval). It will not tick.",
        fileID: fileID, filePath: filePath, line: line, column: column)
    }
    return ClockTimerSequence(
      clock: AnyClock(forTimerOf: self), interval: interval, tolerance: tolerance)
  }
}

extension AnyClock {
  /// Creates the clock that another clock's timers sleep on.
  init<C: Clock>(forTimerOf clock: C) where C.Duration == Duration {
    self = (clock as? any KnownClock<Duration>)?.timerClock ?? AnyClock(clock)
  }
}

/// An asynchronous sequence of ticks from a clock's timer, returned by `Clock.timer(interval:)`.
public struct ClockTimerSequence<Duration: DurationProtocol & Hashable>: AsyncSequence, Sendable {
  /// The instant for which a tick was planned.
  public typealias Element = AnyClock<Duration>.Instant

  /// A timer never fails.
  public typealias Failure = Never

  let clock: AnyClock<Duration>
  let interval: Duration
  let tolerance: Duration?

  /// Creates an iterator and starts its timer.
  public func makeAsyncIterator() -> Iterator {
    let isTicking = interval > .zero
    let ticks = PlannedTicks(interval: interval, next: isTicking ? clock.now.advanced(by: interval) : clock.anchor)
    return Iterator(clock: clock, tolerance: tolerance, ticks: isTicking ? ticks : nil)
  }

  /// An iterator with a running timer.
  public struct Iterator: AsyncIteratorProtocol {
    let clock: AnyClock<Duration>
    let tolerance: Duration?
    var ticks: PlannedTicks<AnyClock<Duration>.Instant>?

    /// Waits for the next tick.
    ///
    /// - Returns: The instant for which the tick was planned, or `nil` at the end of the sequence.
    public mutating func next() async -> Element? { await next(isolation: nil) }

    /// Waits for the next tick, isolated to an actor.
    ///
    /// - Returns: The instant for which the tick was planned, or `nil` at the end of the sequence.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      // At the end of virtual time, no sleep would wait anymore.
      if clock.clockTimeline?.timeline.now == .max { ticks = nil }
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

/// The planned instants of a timer's ticks, one interval apart.
struct PlannedTicks<Instant: InstantProtocol> {
  /// The time between two ticks, always longer than zero.
  let interval: Instant.Duration
  var next: Instant
  /// Indicates whether the first tick may be further away than an interval.
  var isFirstFree = false

  /// Returns the next planned instant that hasn't passed and plans the one after it.
  mutating func take(at now: Instant) -> Instant {
    if !isFirstFree {
      // A tick that is further away was planned before the clock was set back. The margin is a sixteenth of the interval,
      // because a sleep may end early by the resolution of its clock.
      let following = now.advanced(by: interval)
      if next > following.advanced(by: interval / 16) { next = following }
    }
    isFirstFree = false
    if next < now {
      let missed = (next.duration(to: now) / interval).rounded(.down)
      if missed < 0x1p53 {
        next = next.advanced(by: interval.multipliedSaturating(by: Int(missed)))
        // The division isn't exact.
        while next < now { next = next.advanced(by: interval) }
      } else {
        // There are too many to count. Ticks this dense count as planned for every instant.
        next = now
      }
    }
    defer { next = next.advanced(by: interval) }
    return next
  }
}
