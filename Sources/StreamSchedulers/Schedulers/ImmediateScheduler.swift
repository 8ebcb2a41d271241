public import Streams

/// A scheduler that runs every action immediately, inside the call that schedules it.
///
/// Use it in tests and previews where only the outcome matters:
///
/// ```swift
/// let search = Search(scheduler: .immediate)
/// ```
///
/// - Order: if an action schedules another, the second runs inside the first.
/// - Time stands still. ``now`` is always the date that you created the scheduler with. Actions with a date also run immediately,
///   and repeating actions run once. If behavior depends on the time between values, use `TestScheduler`.
/// - Cost: one call to the action.
///
/// ``shared`` corresponds to Combine's immediate scheduler and has its own time type. The others have the time and options
/// types of the queue or run loop that they replace: `DispatchQueue.immediate`, `OperationQueue.immediate`,
/// `RunLoop.immediate`.
@frozen
public struct ImmediateScheduler<SchedulerTimeType: Strideable, SchedulerOptions>: Scheduler
where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  /// The date at which time stands still.
  public let now: SchedulerTimeType

  /// Creates a scheduler whose time stands still at a date.
  ///
  /// - Parameter now: The date that ``now`` returns.
  @inlinable @_disfavoredOverload
  public init(now: SchedulerTimeType) { self.now = now }

  /// Zero, because no action is ever late.
  @inlinable
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs an action immediately.
  @inlinable
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) { action() }

  /// Runs an action immediately, regardless of its date.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    action()
  }

  /// Runs an action immediately and doesn't repeat it.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    action()
    return NothingToCancel.shared
  }

  /// Runs an action immediately, before you can cancel it.
  @inlinable @_disfavoredOverload
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    action()
    return NothingToCancel.shared
  }
}

extension ImmediateScheduler: Sendable where SchedulerTimeType: Sendable {}

/// An immediate scheduler with the time and options types of another scheduler.
public typealias ImmediateSchedulerOf<S: Scheduler> = ImmediateScheduler<S.SchedulerTimeType, S.SchedulerOptions>

extension ImmediateScheduler where SchedulerTimeType == ImmediateTime, SchedulerOptions == Never {
  /// The immediate scheduler with its own time type, which consists of a single instant.
  ///
  /// ```swift
  /// numbers.receive(on: ImmediateScheduler.shared).sink { print($0) }
  /// ```
  @inlinable
  public static var shared: Self { Self(now: ImmediateTime()) }
}

/// The cancellable returned for an action that has already run.
@usableFromInline
final class NothingToCancel: Cancellable, Sendable {
  @usableFromInline static let shared = NothingToCancel()

  @usableFromInline
  func cancel() {}
}
