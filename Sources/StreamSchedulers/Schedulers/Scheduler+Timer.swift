public import Streams

extension Scheduler where SchedulerTimeType: Sendable {
  /// Returns an asynchronous sequence that produces the scheduler's time after each interval.
  ///
  /// ```swift
  /// for await _ in scheduler.timer(interval: .seconds(1)) { secondsElapsed += 1 }
  /// ```
  ///
  /// - Each iteration has its own timer, which starts when the iterator is created. The first tick comes one interval later.
  /// - Ticks that arrive while your loop is busy are buffered without limit. A live scheduler skips ticks while its queue is
  ///   busy for longer than an interval.
  /// - The sequence ends when the task is cancelled. The timer stops then, and when the loop ends or the iterator is released.
  /// - An interval of zero or less is reported, and the sequence is empty.
  ///
  /// - Parameters:
  ///   - interval: The time between ticks.
  ///   - tolerance: The time by which a tick may be late.
  ///   - options: The scheduler's options.
  @_disfavoredOverload
  public func timer(
    interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride = .zero,
    options: SchedulerOptions? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> TimerSequence<Self> {
    if !(interval > .zero) {
      reportIssue(
        "A timer requires an interval longer than zero, got \(DurationText.described(interval.nanoseconds)). It will not tick.",
        fileID: fileID, filePath: filePath, line: line, column: column)
    }
    return TimerSequence(
      scheduler: self, interval: interval, tolerance: tolerance, options: options,
      location: CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}

/// An asynchronous sequence of ticks from a scheduler's timer, returned by `Scheduler.timer(interval:)`.
public struct TimerSequence<S: Scheduler>: AsyncSequence where S.SchedulerTimeType: Sendable {
  /// The scheduler's time at a tick.
  public typealias Element = S.SchedulerTimeType

  /// A timer never fails.
  public typealias Failure = Never

  let scheduler: S
  let interval: S.SchedulerTimeType.Stride
  let tolerance: S.SchedulerTimeType.Stride
  let options: S.SchedulerOptions?
  let location: CodeLocation

  /// Creates an iterator and starts its timer.
  public func makeAsyncIterator() -> Iterator {
    let (ticks, continuation) = AsyncStream.makeStream(of: Element.self)
    guard interval > .zero else {
      continuation.finish()
      return Iterator(ticks: ticks.makeAsyncIterator(), timer: AnyCancellable {})
    }
    let armed = ArmingObservation.naming(location) {
      scheduler.schedule(
        after: scheduler.now.advanced(by: interval), interval: interval, tolerance: tolerance, options: options
      ) { [scheduler] in continuation.yield(scheduler.now) }
    }
    let timer = AnyCancellable(armed)
    continuation.onTermination = { _ in timer.cancel() }
    // The stream retains the timer, so the iterator has to cancel it on release.
    return Iterator(ticks: ticks.makeAsyncIterator(), timer: AnyCancellable(timer))
  }

  /// An iterator with a running timer, which stops when the iterator is released.
  public struct Iterator: AsyncIteratorProtocol {
    var ticks: AsyncStream<Element>.Iterator
    let timer: AnyCancellable

    /// Waits for the next tick.
    ///
    /// - Returns: The scheduler's time at the tick, or `nil` at the end of the sequence.
    public mutating func next() async -> Element? { await ticks.next() }

    /// Waits for the next tick, isolated to an actor.
    ///
    /// - Returns: The scheduler's time at the tick, or `nil` at the end of the sequence.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await ticks.next(isolation: actor)
    }
  }
}

extension TimerSequence: Sendable
where S: Sendable, S.SchedulerTimeType.Stride: Sendable, S.SchedulerOptions: Sendable {}

@available(*, unavailable)
extension TimerSequence.Iterator: Sendable {}
