public import Foundation
internal import StreamSchedulers
public import Streams

extension Timer {
  /// Publishes the date after each interval, on a run loop, as long as it is connected.
  ///
  /// ```swift
  /// Timer.publish(every: 1, on: .main, in: .common).autoconnect()
  ///   .sink { print($0) }
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// ``Timer/TimerPublisher`` says the rest. A timer for a test takes a scheduler from outside:
  /// `scheduler.timerPublisher(every:)`.
  ///
  /// - Parameters:
  ///   - interval: The number of seconds between two ticks. One that is not positive is a mistake, which is reported; the
  ///     timer does not tick then.
  ///   - tolerance: How many seconds late a tick may come; none if it is `nil`.
  ///   - runLoop: The run loop on which the ticks come. Somebody has to run it.
  ///   - mode: The mode of the run loop in which the ticks come.
  ///   - options: What the run loop is told about how to run the ticks, which is nothing so far.
  ///   - fileID: Where mistakes are reported, as are the next three.
  ///   - filePath: The path of the file.
  ///   - line: The line.
  ///   - column: The column.
  public static func publish(
    every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop, in mode: RunLoop.Mode,
    options: RunLoop.SchedulerOptions? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> TimerPublisher {
    TimerPublisher(
      interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode, options: options, fileID: fileID,
      filePath: filePath, line: line, column: column)
  }

  /// A publisher of the date after each interval, on a run loop, as long as it is connected.
  ///
  /// ```swift
  /// let timer = Timer.publish(every: 1, on: .main, in: .common)
  /// timer.sink { print("tick at \($0)") }.store(in: &cancellables)
  /// timer.connect().store(in: &cancellables)
  /// ```
  ///
  /// - Ticks: they come from a `Timer` in the given mode of the run loop; the first comes one interval after ``connect()``.
  ///   A tick for which the loop has no time before the next is left out. It never finishes.
  /// - Demand: each subscriber has its own. A tick for which a subscriber has not asked is dropped for that subscriber.
  /// - Cancellation: one subscriber that leaves does not disturb the others. When the last one has left, nothing is left in
  ///   the run loop; if it is still connected when another comes, the timer goes on, one interval later.
  /// - Connections: the timer stops when its connection is cancelled, and can be connected again. Letting go of a
  ///   connection does not cancel it. Several connections share one timer, which stops when all are cancelled.
  /// - Cost: one timer of the run loop, however many subscribers there are.
  /// - Bad input: an interval that is not positive is reported where the publisher is made; it does not tick then.
  ///
  /// Except for the run loop, this is `Publishers.Timer`.
  public final class TimerPublisher: ConnectablePublisher {
    /// The date of a tick.
    public typealias Output = Date

    /// A timer does not fail.
    public typealias Failure = Never

    /// The number of seconds between two ticks.
    public let interval: TimeInterval

    /// How many seconds late a tick may come; none if it is `nil`.
    public let tolerance: TimeInterval?

    /// The run loop on which the ticks come.
    public let runLoop: RunLoop

    /// The mode of the run loop in which the ticks come.
    public let mode: RunLoop.Mode

    /// What the run loop is told about how to run the ticks.
    public let options: RunLoop.SchedulerOptions?

    private let timer: Publishers.Timer<RunLoopInMode>

    /// Makes a timer, which waits for ``connect()``.
    public init(
      interval: TimeInterval, tolerance: TimeInterval? = nil, runLoop: RunLoop, mode: RunLoop.Mode,
      options: RunLoop.SchedulerOptions? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
      line: UInt = #line, column: UInt = #column
    ) {
      self.interval = interval
      self.tolerance = tolerance
      self.runLoop = runLoop
      self.mode = mode
      self.options = options
      timer = Publishers.Timer(
        every: .init(interval), tolerance: tolerance.map { .init($0) },
        scheduler: RunLoopInMode(loop: runLoop, mode: mode), options: options, fileID: fileID, filePath: filePath,
        line: line, column: column)
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Date, S.Failure == Never {
      timer.map { $0.date }.receive(subscriber: subscriber)
    }

    /// Starts the timer, unless it runs already.
    ///
    /// - Returns: What stops it. It stops it only when `cancel()` is called: letting go of it does not.
    public func connect() -> any Cancellable { timer.connect() }
  }
}
