/// Decides when, and where, work runs.
///
/// Operators that have to do with time take a scheduler, so that an app can hand them a queue and a test can hand
/// them virtual time. The members are those of Combine's protocol; those that are new,
/// ``scheduleOnce(after:tolerance:options:_:)`` and `taskExecutor`, have a default.
///
/// Every member may be called from any thread: a scheduler is what brings work from one thread to another.
public protocol Scheduler<SchedulerTimeType> {
  /// A point in this scheduler's time.
  associatedtype SchedulerTimeType: Strideable where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible

  /// What may be said about how work is to run; `Never` when there is nothing to say.
  associatedtype SchedulerOptions

  /// The present moment of this scheduler.
  var now: SchedulerTimeType { get }

  /// The smallest tolerance that this scheduler makes use of.
  var minimumTolerance: SchedulerTimeType.Stride { get }

  /// Runs work as soon as possible.
  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)

  /// Runs work at a date or later.
  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void)

  /// Runs work at a date, and again after each interval, until what is returned is cancelled.
  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable

  /// Runs work once, at a date or later, unless what is returned is cancelled before.
  ///
  /// The operators of this package use it for everything they arm, so that a cancelled stream leaves nothing behind.
  /// The default calls ``schedule(after:tolerance:options:_:)`` and, when cancelled, lets go of the work; the
  /// scheduler's own entry stays until its date. A scheduler that can remove it should implement this.
  func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject

  /// What runs tasks that are started on this scheduler; nil for the threads of the process.
  ///
  /// A test scheduler has one of its own, so that a test can drive the tasks of code that starts them with its scheduler.
  /// The default is nil.
  var taskExecutor: (any TaskExecutor)? { get }
}

extension Scheduler {
  /// Nil: tasks run on the threads of the process.
  @inlinable
  public var taskExecutor: (any TaskExecutor)? { nil }

  /// Runs work as soon as possible.
  @inlinable
  public func schedule(_ action: @escaping () -> Void) {
    schedule(options: nil, action)
  }

  /// Runs work at a date or later.
  @inlinable
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    schedule(after: date, tolerance: minimumTolerance, options: nil, action)
  }

  /// Runs work at a date or later, or as late as the tolerance allows.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, _ action: @escaping () -> Void
  ) {
    schedule(after: date, tolerance: tolerance, options: nil, action)
  }

  /// Runs work at a date, and again after each interval, until what is returned is cancelled.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(after: date, interval: interval, tolerance: minimumTolerance, options: nil, action)
  }

  /// Runs work at a date, and again after each interval, until what is returned is cancelled.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
  }

  /// Runs work once, at a date or later, unless what is returned is cancelled before.
  @inlinable
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    let box = ScheduledAction(action)
    schedule(after: date, tolerance: tolerance, options: options) { box.run() }
    return box
  }
}

/// Work that runs at most once and can be let go of before.
@usableFromInline
package final class ScheduledAction: Cancellable {
  /// The work is in a struct because a bare closure that comes out of generic code is wrapped each time.
  @usableFromInline
  struct Work {
    @usableFromInline let run: () -> Void
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

/// A distance in time that can be written as a number of seconds or of parts of one.
public protocol SchedulerTimeIntervalConvertible {
  /// A whole number of seconds.
  static func seconds(_ s: Int) -> Self

  /// A number of seconds.
  static func seconds(_ s: Double) -> Self

  /// A whole number of thousandths of a second.
  static func milliseconds(_ ms: Int) -> Self

  /// A whole number of millionths of a second.
  static func microseconds(_ us: Int) -> Self

  /// A whole number of billionths of a second.
  static func nanoseconds(_ ns: Int) -> Self

  /// The nearest whole number of nanoseconds, where the type knows it; there is no need to implement this.
  var _nanoseconds: Int? { get }
}

extension SchedulerTimeIntervalConvertible {
  /// Nothing: whoever wants to know searches for it.
  @inlinable
  public var _nanoseconds: Int? { nil }
}
