public import Streams

extension Scheduler where SchedulerTimeType: Sendable {
  /// Returns the moments at which an interval has gone by, again and again, as an asynchronous sequence.
  ///
  /// ```swift
  /// for await _ in scheduler.timer(interval: .seconds(1)) { secondsElapsed += 1 }
  /// ```
  ///
  /// - The timer starts when iteration does, and each iteration has its own; the first tick comes one interval later.
  /// - No tick is lost: those that come while the loop is busy wait for it, however many. Ticks that a live scheduler
  ///   leaves out because its queue was busy for longer than an interval never came.
  /// - The sequence ends when the task is cancelled. The timer stops then, and when the loop is left or its iterator is
  ///   let go of.
  /// - An interval of zero or less is a mistake, which is reported; the sequence is empty then.
  public func timer(
    interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride = .zero,
    options: SchedulerOptions? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> TimerSequence<Self> {
    if !(interval > .zero) {
      reportIssue(
        "A timer was asked for with an interval of \(DurationText.described(interval.nanoseconds)), which has to be longer than zero. It will not tick.",
        fileID: fileID, filePath: filePath, line: line, column: column)
    }
    return TimerSequence(
      scheduler: self, interval: interval, tolerance: tolerance, options: options,
      place: SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}

/// The ticks of a scheduler's timer; `Scheduler.timer(interval:)` makes it.
public struct TimerSequence<S: Scheduler>: AsyncSequence where S.SchedulerTimeType: Sendable {
  /// The moment of a tick.
  public typealias Element = S.SchedulerTimeType

  /// A timer does not fail.
  public typealias Failure = Never

  let scheduler: S
  let interval: S.SchedulerTimeType.Stride
  let tolerance: S.SchedulerTimeType.Stride
  let options: S.SchedulerOptions?
  let place: SourcePlace

  /// Starts a timer.
  public func makeAsyncIterator() -> Iterator {
    let (ticks, continuation) = AsyncStream.makeStream(of: Element.self)
    guard interval > .zero else {
      continuation.finish()
      return Iterator(ticks: ticks.makeAsyncIterator(), timer: AnyCancellable {})
    }
    let armed = ArmingObservation.naming(place) {
      scheduler.schedule(
        after: scheduler.now.advanced(by: interval), interval: interval, tolerance: tolerance, options: options
      ) { [scheduler] in continuation.yield(scheduler.now) }
    }
    let timer = AnyCancellable(armed)
    continuation.onTermination = { _ in timer.cancel() }
    // The stream holds the timer, so letting go of the iterator has to cancel it.
    return Iterator(ticks: ticks.makeAsyncIterator(), timer: AnyCancellable(timer))
  }

  /// A running timer, which stops when this is let go of.
  public struct Iterator: AsyncIteratorProtocol {
    var ticks: AsyncStream<Element>.Iterator
    let timer: AnyCancellable

    /// Waits for the next tick; returns `nil` when the task has been cancelled.
    public mutating func next() async -> Element? { await ticks.next() }

    /// Waits for the next tick; returns `nil` when the task has been cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await ticks.next(isolation: actor)
    }
  }
}

extension TimerSequence: Sendable
where S: Sendable, S.SchedulerTimeType.Stride: Sendable, S.SchedulerOptions: Sendable {}

@available(*, unavailable)
extension TimerSequence.Iterator: Sendable {}
