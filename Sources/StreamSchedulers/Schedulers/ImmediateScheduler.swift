public import Dispatch
public import Streams

/// Runs all work at once, on the spot.
///
/// It takes the waiting out of code that works with time, in tests and previews where only the outcome counts:
///
/// ```swift
/// let search = Search(scheduler: .immediate)
/// ```
///
/// - Order: work runs inside the call that schedules it, before that call returns. Work that schedules more nests.
/// - Time stands still: ``now`` is always what the scheduler was made with. Work with a date runs at once as well, and
///   repeated work runs once. What depends on the time between two values has nothing to go by; use `TestScheduler`.
///
/// - Cost: that of calling the work.
///
/// ``shared`` is the one that Combine has, with a time of its own. The others have the time and the options of the
/// queue they stand in for: `DispatchQueue.immediate`, `OperationQueue.immediate`, `RunLoop.immediate`.
@frozen
public struct ImmediateScheduler<SchedulerTimeType: Strideable, SchedulerOptions>: Scheduler
where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  /// The moment at which time stands still.
  public let now: SchedulerTimeType

  /// Makes one whose time stands still at a moment.
  @inlinable
  public init(now: SchedulerTimeType) { self.now = now }

  /// The smallest tolerance that makes a difference: none.
  @inlinable
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs work at once.
  @inlinable
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) { action() }

  /// Runs work at once, whatever the date.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    action()
  }

  /// Runs work at once, and does not repeat it.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    action()
    return NothingToCancel.shared
  }

  /// Runs work at once, before there is anything to cancel.
  @inlinable
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    action()
    return NothingToCancel.shared
  }
}

extension ImmediateScheduler: Sendable where SchedulerTimeType: Sendable {}

/// An immediate scheduler with the time and the options of another scheduler.
public typealias ImmediateSchedulerOf<S: Scheduler> = ImmediateScheduler<S.SchedulerTimeType, S.SchedulerOptions>

extension ImmediateScheduler where SchedulerTimeType == ImmediateTime, SchedulerOptions == Never {
  /// The immediate scheduler with a time of its own, in which there is one moment only.
  @inlinable
  public static var shared: Self { Self(now: ImmediateTime()) }
}

extension DispatchQueue {
  /// A scheduler that runs all work at once, with the time and the options of a dispatch queue.
  ///
  /// Its time stands still at the first nanosecond, because at zero Dispatch means the present.
  public static var immediate: ImmediateSchedulerOf<DispatchQueue> {
    ImmediateScheduler(now: SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1)))
  }
}

extension AnySchedulerOf<DispatchQueue> {
  /// A scheduler that runs all work at once.
  public static var immediate: Self { DispatchQueue.immediate.eraseToAnyScheduler() }
}

/// What a scheduler returns for work that has run already.
@usableFromInline
final class NothingToCancel: Cancellable, Sendable {
  @usableFromInline static let shared = NothingToCancel()

  @usableFromInline
  func cancel() {}
}
