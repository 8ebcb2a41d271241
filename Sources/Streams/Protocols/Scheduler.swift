/// A type that determines when and where work runs.
///
/// Time-based operators take a scheduler, so you can pass a queue in your app and a test scheduler in your tests. The
/// requirements match Combine's protocol, with two additions that have default implementations:
/// ``scheduleOnce(after:tolerance:options:_:)`` and `taskExecutor`.
///
/// You can use all members from any thread, because schedulers move work from one thread to another.
public protocol Scheduler<SchedulerTimeType> {
  /// A point in time, as this scheduler measures it.
  associatedtype SchedulerTimeType: Strideable where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible

  /// The type of the options that control how work runs. Use `Never` if there are none.
  associatedtype SchedulerOptions

  /// This scheduler's current time.
  var now: SchedulerTimeType { get }

  /// The smallest tolerance that this scheduler supports.
  var minimumTolerance: SchedulerTimeType.Stride { get }

  /// Runs work as soon as possible.
  ///
  /// - Parameters:
  ///   - options: The options, or `nil` for the defaults.
  ///   - action: The work to run.
  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)

  /// Runs work at or after a date.
  ///
  /// - Parameters:
  ///   - date: The earliest time at which the work runs.
  ///   - tolerance: The time by which the work may be late.
  ///   - options: The options, or `nil` for the defaults.
  ///   - action: The work to run.
  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void)

  /// Runs work at or after a date, then repeats it after each interval until you cancel the returned object.
  ///
  /// - Parameters:
  ///   - date: The earliest time for the first run.
  ///   - interval: The time from one run to the next.
  ///   - tolerance: The time by which each run may be late.
  ///   - options: The options, or `nil` for the defaults.
  ///   - action: The work to run.
  /// - Returns: A cancellable that stops the repeating work. With this package's schedulers, releasing the cancellable stops
  ///   the work too.
  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable

  /// Runs work once, at or after a date, unless you cancel the returned object first.
  ///
  /// This package's operators use this method for all delayed work, so that a cancelled stream can remove it. The default
  /// implementation calls ``schedule(after:tolerance:options:_:)``. Cancelling then releases the work, but the scheduler's own
  /// entry remains until its date. If your scheduler can remove the entry, implement this method.
  ///
  /// - Parameters:
  ///   - date: The earliest time at which the work runs.
  ///   - tolerance: The time by which the work may be late.
  ///   - options: The options, or `nil` for the defaults.
  ///   - action: The work to run.
  /// - Returns: A cancellable that prevents the work from running. Releasing the cancellable must not do so.
  @_disfavoredOverload
  func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject

  /// The executor for tasks that start on this scheduler, or `nil` for the global concurrent executor.
  ///
  /// A test scheduler has its own executor, so a test can drive the tasks that your code starts there. The default is `nil`.
  @_disfavoredOverload
  var taskExecutor: (any TaskExecutor)? { get }
}

extension Scheduler {
  /// Returns `nil` by default.
  @inlinable @_disfavoredOverload
  public var taskExecutor: (any TaskExecutor)? { nil }

  /// Runs work as soon as possible, like ``schedule(options:_:)``, with the default options.
  @inlinable
  public func schedule(_ action: @escaping () -> Void) {
    schedule(options: nil, action)
  }

  /// Runs work at or after a date, like ``schedule(after:tolerance:options:_:)``, with the minimum tolerance and default
  /// options.
  @inlinable
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    schedule(after: date, tolerance: minimumTolerance, options: nil, action)
  }

  /// Runs work at or after a date, like ``schedule(after:tolerance:options:_:)``, with the default options.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, _ action: @escaping () -> Void
  ) {
    schedule(after: date, tolerance: tolerance, options: nil, action)
  }

  /// Runs work repeatedly, like ``schedule(after:interval:tolerance:options:_:)``, with the minimum tolerance and default
  /// options.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(after: date, interval: interval, tolerance: minimumTolerance, options: nil, action)
  }

  /// Runs work repeatedly, like ``schedule(after:interval:tolerance:options:_:)``, with the default options.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
  }

  /// Runs work once, like ``schedule(after:tolerance:options:_:)``, unless you cancel the returned object first.
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
  /// A struct wraps the closure, because Swift would wrap a bare closure again each time it leaves generic code.
  struct Work {
    let run: () -> Void
  }

  private let work: Locked<Work?>

  @usableFromInline
  package init(_ action: @escaping () -> Void) { work = Locked(Work(run: action)) }

  /// Runs the work, unless it has already run or was cancelled.
  @usableFromInline
  package func run() {
    if let work = take() { work.run() }
  }

  @usableFromInline
  package func cancel() { _ = take() }

  private func take() -> Work? { work.withLock { $0.take() } }
}

/// A time interval that you can express in seconds or fractions of a second.
public protocol SchedulerTimeIntervalConvertible {
  /// Creates an interval from a whole number of seconds.
  ///
  /// - Parameter s: The number of seconds.
  static func seconds(_ s: Int) -> Self

  /// Creates an interval from a number of seconds.
  ///
  /// - Parameter s: The number of seconds, which may have a fraction.
  static func seconds(_ s: Double) -> Self

  /// Creates an interval from a whole number of milliseconds.
  ///
  /// - Parameter ms: The number of milliseconds.
  static func milliseconds(_ ms: Int) -> Self

  /// Creates an interval from a whole number of microseconds.
  ///
  /// - Parameter us: The number of microseconds.
  static func microseconds(_ us: Int) -> Self

  /// Creates an interval from a whole number of nanoseconds.
  ///
  /// - Parameter ns: The number of nanoseconds.
  static func nanoseconds(_ ns: Int) -> Self

  /// The nearest whole number of nanoseconds, or `nil` if it's unknown. You don't need to implement this property.
  var _nanoseconds: Int? { get }
}

extension SchedulerTimeIntervalConvertible {
  /// Returns `nil` by default. Callers that need the number then find it by searching.
  @inlinable
  public var _nanoseconds: Int? { nil }
}

extension Duration {
  /// This duration in whole nanoseconds, clamped to the range of `Int`.
  @usableFromInline
  package var clampedNanoseconds: Int {
    // Not computed from `components`, which stops the program if the seconds don't fit in `Int64`.
    Int(clamping: attoseconds / 1_000_000_000)
  }
}
