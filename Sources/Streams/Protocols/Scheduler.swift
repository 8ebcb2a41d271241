/// A type that determines when and where work runs.
///
/// Operators that deal with time take a scheduler, so that an app can pass a queue and a test can pass virtual time.
/// The requirements are those of Combine's protocol; the additional ones, ``scheduleOnce(after:tolerance:options:_:)``
/// and `taskExecutor`, have default implementations.
///
/// Every member may be called from any thread: schedulers move work from one thread to another.
public protocol Scheduler<SchedulerTimeType> {
  /// A point in time of this scheduler.
  associatedtype SchedulerTimeType: Strideable where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible

  /// The type of the options for how work runs; `Never` if there are none.
  associatedtype SchedulerOptions

  /// The current time of this scheduler.
  var now: SchedulerTimeType { get }

  /// The smallest tolerance that this scheduler distinguishes.
  var minimumTolerance: SchedulerTimeType.Stride { get }

  /// Runs work as soon as possible.
  ///
  /// - Parameters:
  ///   - options: Options of this scheduler, or `nil` for the default ones.
  ///   - action: The work to run.
  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)

  /// Runs work at or after a date.
  ///
  /// - Parameters:
  ///   - date: The earliest time at which the work runs.
  ///   - tolerance: The time by which the work may be late.
  ///   - options: Options of this scheduler, or `nil` for the default ones.
  ///   - action: The work to run.
  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void)

  /// Runs work at a date and repeatedly after each interval, until the result is cancelled.
  ///
  /// - Parameters:
  ///   - date: The earliest time of the first run.
  ///   - interval: The time from one run to the next.
  ///   - tolerance: The time by which a run may be late.
  ///   - options: Options of this scheduler, or `nil` for the default ones.
  ///   - action: The work to run.
  /// - Returns: A cancellable that stops the repetition.
  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable

  /// Runs work once, at or after a date, unless the result is cancelled before.
  ///
  /// The operators of this package use this method for everything they arm, so that a cancelled stream leaves nothing
  /// behind. The default implementation calls ``schedule(after:tolerance:options:_:)`` and, on cancellation, releases
  /// the work; the scheduler's own entry stays until its date. A scheduler that can remove the entry should implement
  /// this method.
  ///
  /// - Parameters:
  ///   - date: The earliest time at which the work runs.
  ///   - tolerance: The time by which the work may be late.
  ///   - options: Options of this scheduler, or `nil` for the default ones.
  ///   - action: The work to run.
  /// - Returns: A cancellable that prevents the work from running.
  @_disfavoredOverload
  func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject

  /// The executor of tasks that are started on this scheduler; `nil` for the global concurrent executor.
  ///
  /// A test scheduler has its own executor, so that a test can drive the tasks of code that starts them on its
  /// scheduler. The default is `nil`.
  @_disfavoredOverload
  var taskExecutor: (any TaskExecutor)? { get }
}

extension Scheduler {
  /// The default, `nil`: tasks run on the global concurrent executor.
  @inlinable @_disfavoredOverload
  public var taskExecutor: (any TaskExecutor)? { nil }

  /// Runs work as soon as possible.
  ///
  /// - Parameter action: The work to run.
  @inlinable
  public func schedule(_ action: @escaping () -> Void) {
    schedule(options: nil, action)
  }

  /// Runs work at or after a date, with the minimum tolerance.
  ///
  /// - Parameters:
  ///   - date: The earliest time at which the work runs.
  ///   - action: The work to run.
  @inlinable
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    schedule(after: date, tolerance: minimumTolerance, options: nil, action)
  }

  /// Runs work at or after a date, at most as late as the tolerance allows.
  ///
  /// - Parameters:
  ///   - date: The earliest time at which the work runs.
  ///   - tolerance: The time by which the work may be late.
  ///   - action: The work to run.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, _ action: @escaping () -> Void
  ) {
    schedule(after: date, tolerance: tolerance, options: nil, action)
  }

  /// Runs work at a date and repeatedly after each interval, with the minimum tolerance, until the result is cancelled.
  ///
  /// - Parameters:
  ///   - date: The earliest time of the first run.
  ///   - interval: The time from one run to the next.
  ///   - action: The work to run.
  /// - Returns: A cancellable that stops the repetition.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(after: date, interval: interval, tolerance: minimumTolerance, options: nil, action)
  }

  /// Runs work at a date and repeatedly after each interval, until the result is cancelled.
  ///
  /// - Parameters:
  ///   - date: The earliest time of the first run.
  ///   - interval: The time from one run to the next.
  ///   - tolerance: The time by which a run may be late.
  ///   - action: The work to run.
  /// - Returns: A cancellable that stops the repetition.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
  }

  /// Runs work once, at or after a date, unless the result is cancelled before.
  ///
  /// - Parameters:
  ///   - date: The earliest time at which the work runs.
  ///   - tolerance: The time by which the work may be late.
  ///   - options: Options of this scheduler, or `nil` for the default ones.
  ///   - action: The work to run.
  /// - Returns: A cancellable that prevents the work from running.
  @inlinable @_disfavoredOverload
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    let box = ScheduledAction(action)
    schedule(after: date, tolerance: tolerance, options: options) { box.run() }
    return box
  }
}

/// Work that runs at most once and can be released before it runs.
@usableFromInline
package final class ScheduledAction: Cancellable {
  /// A struct around the closure, because a bare closure that leaves generic code is wrapped each time.
  struct Work {
    let run: () -> Void
  }

  private let work: Locked<Work?>

  @usableFromInline
  package init(_ action: @escaping () -> Void) { work = Locked(Work(run: action)) }

  /// Runs the work, unless it has run or was cancelled.
  @usableFromInline
  package func run() {
    if let work = take() { work.run() }
  }

  @usableFromInline
  package func cancel() { _ = take() }

  private func take() -> Work? { work.withLock { $0.take() } }
}

/// A time interval that can be expressed as a number of seconds or of fractions of a second.
public protocol SchedulerTimeIntervalConvertible {
  /// Creates an interval of a whole number of seconds.
  ///
  /// - Parameter s: The number of seconds.
  /// - Returns: The interval.
  static func seconds(_ s: Int) -> Self

  /// Creates an interval of a number of seconds.
  ///
  /// - Parameter s: The number of seconds, which may have a fraction.
  /// - Returns: The interval.
  static func seconds(_ s: Double) -> Self

  /// Creates an interval of a whole number of milliseconds.
  ///
  /// - Parameter ms: The number of milliseconds.
  /// - Returns: The interval.
  static func milliseconds(_ ms: Int) -> Self

  /// Creates an interval of a whole number of microseconds.
  ///
  /// - Parameter us: The number of microseconds.
  /// - Returns: The interval.
  static func microseconds(_ us: Int) -> Self

  /// Creates an interval of a whole number of nanoseconds.
  ///
  /// - Parameter ns: The number of nanoseconds.
  /// - Returns: The interval.
  static func nanoseconds(_ ns: Int) -> Self

  /// The nearest whole number of nanoseconds, if the type knows it; there is no need to implement this property.
  var _nanoseconds: Int? { get }
}

extension SchedulerTimeIntervalConvertible {
  /// The default, `nil`: callers that need the number search for it.
  @inlinable
  public var _nanoseconds: Int? { nil }
}
