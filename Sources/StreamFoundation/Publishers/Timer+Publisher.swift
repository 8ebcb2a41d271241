public import Foundation
internal import StreamSchedulers
public import Streams

extension Timer {
  /// Publishes the current date after each interval, on a run loop, while the publisher is connected.
  ///
  /// ```swift
  /// Timer.publish(every: 1, on: .main, in: .common).autoconnect()
  ///   .sink { print($0) }
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// See ``Timer/TimerPublisher`` for demand, cancellation and connections. In code that you test, prefer
  /// `timerPublisher(every:)` on a scheduler that you pass in.
  ///
  /// - Parameters:
  ///   - interval: The seconds between two ticks. Zero or less is reported.
  ///   - tolerance: The seconds by which a tick may be late, or `nil` for none.
  ///   - runLoop: The run loop for the ticks. A thread has to run it.
  ///   - mode: The run loop's mode for the ticks.
  ///   - options: The run loop's options. There aren't any.
  /// - Returns: A connectable publisher that sends the date of each tick.
  /// - Complexity: One run loop timer. Each tick takes O(*n*), where *n* is the number of subscribers.
  public static func publish(
    every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop, in mode: RunLoop.Mode,
    options: RunLoop.SchedulerOptions? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> TimerPublisher {
    TimerPublisher(
      interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode, options: options, fileID: fileID,
      filePath: filePath, line: line, column: column)
  }

  /// Publishes the current date after each interval, with exactly Combine's parameters, for code that passes the function itself.
  ///
  /// It's like the overload that the compiler prefers for calls, but doesn't note where it's called.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public static func publish(
    every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop, in mode: RunLoop.Mode,
    options: RunLoop.SchedulerOptions? = nil
  ) -> TimerPublisher {
    TimerPublisher(interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode, options: options)
  }

  /// A publisher that sends the current date after each interval, on a run loop, while it's connected.
  ///
  /// ```swift
  /// let timer = Timer.publish(every: 1, on: .main, in: .common)
  /// timer.sink { print("tick at \($0)") }.store(in: &cancellables)
  /// timer.connect().store(in: &cancellables)
  /// ```
  ///
  /// - Ticks: a Foundation `Timer` sends them, in the given mode of the run loop, beginning one interval after ``connect()``. A
  ///   tick is skipped if the loop doesn't get to it before the next one is due. The publisher never finishes.
  /// - Demand: each subscriber has its own. A subscriber that hasn't requested a tick misses it.
  /// - Cancellation: a subscriber that cancels doesn't affect the others. When the last subscriber has cancelled, nothing is left
  ///   in the run loop. A new subscriber resumes a timer that's still connected, and the next tick is one interval later.
  /// - Connections: several connections share one timer, which stops when you've cancelled all of them. You can then connect it
  ///   again. Releasing a connection doesn't cancel it.
  /// - Cost: one run loop timer, for any number of subscribers.
  /// - Bad input: an interval of zero or less is reported where the publisher is created, and the timer doesn't tick.
  ///
  /// It behaves like `StreamSchedulers.TimerPublisher`, but uses one mode of the run loop and sends `Date` values.
  public final class TimerPublisher: ConnectablePublisher {
    /// The date of a tick.
    public typealias Output = Date

    /// A timer never fails.
    public typealias Failure = Never

    /// The number of seconds between two ticks.
    public let interval: TimeInterval

    /// The seconds by which a tick may be late, or `nil` for none.
    public let tolerance: TimeInterval?

    /// The run loop for the ticks.
    public let runLoop: RunLoop

    /// The run loop's mode for the ticks.
    public let mode: RunLoop.Mode

    /// The run loop options for the ticks.
    public let options: RunLoop.SchedulerOptions?

    private let timer: StreamSchedulers.TimerPublisher<RunLoopInMode>

    /// Creates a timer that waits for ``connect()``.
    ///
    /// - Parameters:
    ///   - interval: The seconds between two ticks. Zero or less is reported.
    ///   - tolerance: The seconds by which a tick may be late, or `nil` for none.
    ///   - runLoop: The run loop for the ticks.
    ///   - mode: The run loop's mode for the ticks.
    ///   - options: The run loop's options. There aren't any.
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
      timer = StreamSchedulers.TimerPublisher(
        every: .init(interval), tolerance: tolerance.map { .init($0) },
        scheduler: RunLoopInMode(loop: runLoop, mode: mode), options: options, fileID: fileID, filePath: filePath,
        line: line, column: column)
    }

    /// Creates a timer that waits for ``connect()``, with exactly Combine's parameters: for code that passes `init`
    /// itself.
    ///
    /// It's like the initializer that the compiler prefers for calls, but doesn't note where it's called.
    @_documentation(visibility: internal)
    @_disfavoredOverload
    public convenience init(
      interval: TimeInterval, tolerance: TimeInterval? = nil, runLoop: RunLoop, mode: RunLoop.Mode,
      options: RunLoop.SchedulerOptions? = nil
    ) {
      self.init(
        interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode, options: options, fileID: #fileID)
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Date, S.Failure == Never {
      timer.map { $0.date }.receive(subscriber: subscriber)
    }

    /// Starts the timer, unless it's already running.
    ///
    /// - Returns: A connection, whose `cancel()` stops the timer.
    public func connect() -> any Cancellable { timer.connect() }
  }
}

// In an extension of `Publishers`, a call to `Timer.publish` finds `StreamSchedulers.TimerPublisher`. The constraint
// supplies that type's scheduler, so code written for Foundation's timer compiles there.
extension StreamSchedulers.TimerPublisher where S == RunLoop {
  /// Publishes the current date after each interval on a run loop, where `Timer` means `Publishers.Timer`.
  ///
  /// It calls Foundation's `Timer.publish(every:tolerance:on:in:options:)`.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public static func publish(
    every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop, in mode: RunLoop.Mode,
    options: RunLoop.SchedulerOptions? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> Foundation.Timer.TimerPublisher {
    Foundation.Timer.publish(
      every: interval, tolerance: tolerance, on: runLoop, in: mode, options: options, fileID: fileID,
      filePath: filePath, line: line, column: column)
  }
}
