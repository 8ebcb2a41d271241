public import Dispatch
public import Streams

/// A dispatch queue is a scheduler that runs each action as a block on the queue.
///
/// - Order: on a serial queue, actions without a date run in the order in which you schedule them.
/// - Dates: actions with a date use dispatch timers. The tolerance is the timer's leeway. An action whose date has passed runs
///   as soon as possible. A repeating action doesn't drift, however long its runs take.
/// - Options: the quality of service and the flags apply to every run. An action belongs to the group until it has run for the
///   last time or has been cancelled.
/// - Cost: an action without a date is one block on the queue. An action with a date has its own timer.
///
/// ```swift
/// let work = queue.scheduleOnce(after: queue.now.advanced(by: .seconds(1)), tolerance: .zero, options: nil) { save() }
/// work.cancel()
/// ```
extension DispatchQueue: Scheduler {
  /// The current time.
  public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

  /// Zero, the smallest tolerance that dispatch timers use.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs an action as soon as the queue gets to it.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    KnownExecutionEnvironment.install
    let work = UnsafeTransfer(action)
    async(group: options?.group, qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) { work.value() }
  }

  /// Runs an action at or after a date.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    _ = scheduleOnce(after: date, tolerance: tolerance, options: options, action)
  }

  /// Runs an action at a date, then repeats it after each interval until you cancel the returned object.
  ///
  /// A run is skipped if the queue doesn't get to it before the next run is due. An interval of zero or less is reported, and
  /// the action runs once.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard isRepeatable(interval, on: "DispatchQueue") else {
      return scheduleOnce(after: date, tolerance: tolerance, options: options, action)
    }
    return Repetition(
      DispatchTimer(
        on: self, at: date.dispatchTime, every: interval.magnitude, tolerance: tolerance.magnitude, options: options,
        action))
  }

  /// Runs an action once, at or after a date, unless you cancel it first.
  ///
  /// Cancelling disarms the timer immediately.
  @_disfavoredOverload
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    DispatchTimer(
      on: self, at: date.dispatchTime, every: nil, tolerance: tolerance.magnitude, options: options, action)
  }
}

extension Scheduler where Self == DispatchQueue {
  /// The main dispatch queue, for calls such as `receive(on: .main)` and `debounce(for: .milliseconds(300), scheduler: .main)`.
  @_disfavoredOverload
  public static var main: DispatchQueue { DispatchQueue.main }
}

/// Returns whether an interval is longer than zero, and reports an issue if it isn't.
package func isRepeatable<Stride: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable>(
  _ interval: Stride, on scheduler: String
) -> Bool {
  if interval > .zero { return true }
  reportIssue(
    """
    \(scheduler) cannot repeat work every \(DurationText.described(interval.nanoseconds)): the interval must be longer \
    than zero. The work runs once.
    """,
    fileID: #fileID, filePath: #filePath, line: #line, column: #column)
  return false
}
