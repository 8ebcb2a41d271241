public import Dispatch
public import Streams

/// A dispatch queue runs work as any other work that is handed to it.
///
/// - Order: on a serial queue, what is scheduled without a date runs in the order in which it was scheduled.
/// - Dates are kept by timers of Dispatch: they get the tolerance as their leeway, a date in the past is as soon as
///   possible, and repeated work keeps to the multiples of its interval, however long it takes.
/// - The options' quality of service and flags apply to every run. A group is entered when work is scheduled and left
///   when it has run for the last time or has been cancelled.
/// - Cost: work without a date is one hop of the queue; work with a date takes a timer of its own.
///
/// ```swift
/// let work = queue.scheduleOnce(after: queue.now.advanced(by: .seconds(1)), tolerance: .zero, options: nil) { save() }
/// work.cancel()
/// ```
extension DispatchQueue: Scheduler {
  /// The present moment.
  public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

  /// The smallest tolerance that makes a difference: none.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs work as soon as the queue gets to it.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    KnownSurroundings.install
    let work = HandedOver(action)
    async(group: options?.group, qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) { work.value() }
  }

  /// Runs work at a date or later.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    _ = scheduleOnce(after: date, tolerance: tolerance, options: options, action)
  }

  /// Runs work at a date, and again after each interval, until what is returned is cancelled or let go of.
  ///
  /// A run for which the queue has no time before the next one is due is left out. An interval of zero or less is a
  /// mistake, which is reported; the work then runs once.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard isRepeatable(interval, on: "DispatchQueue") else {
      return scheduleOnce(after: date, tolerance: tolerance, options: options, action)
    }
    return AnyCancellable(
      DispatchTimer(
        on: self, at: date.dispatchTime, every: interval.magnitude, tolerance: tolerance.magnitude, options: options,
        action))
  }

  /// Runs work once, at a date or later, unless what is returned is cancelled before.
  ///
  /// Cancelling disarms the timer at once. What is returned need not be kept.
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    DispatchTimer(
      on: self, at: date.dispatchTime, every: nil, tolerance: tolerance.magnitude, options: options, action)
  }
}

/// Returns whether work can be repeated after an interval, and reports it if not.
package func isRepeatable<Stride: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable>(
  _ interval: Stride, on scheduler: String
) -> Bool {
  if interval > .zero { return true }
  reportIssue(
    """
    \(scheduler) was asked to repeat work every \(DurationText.described(interval.nanoseconds)). An interval has to be longer than zero; the work runs \
    once.
    """,
    fileID: #fileID, filePath: #filePath, line: #line, column: #column)
  return false
}
