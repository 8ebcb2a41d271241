public import Streams

/// A scheduler that reports an issue when you use it.
///
/// In a test, pass it to code that must not work with time:
///
/// ```swift
/// let search = Search(scheduler: .unimplemented("search"))
/// search.clear()  // fails the test if it schedules anything or asks for the time
/// ```
///
/// Each kind of use is reported once, including reads of ``now`` and ``minimumTolerance``. The issue names the scheduler and
/// the member that was used. Copies of a scheduler, including type-erased ones, share these reports. Scheduled actions run
/// immediately, and repeating actions run only once, so that the test continues. Issues are reported at the line that created
/// the scheduler, if that line is available. For properties such as `DispatchQueue.unimplemented`, it isn't.
public struct UnimplementedScheduler<SchedulerTimeType: Strideable, SchedulerOptions>: Scheduler
where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  /// The scheduler's name in issues, or an empty string for none.
  public let prefix: String

  private let moment: SchedulerTimeType
  private let uses: ReportedUses

  /// Creates a named scheduler whose time stands still at a date.
  ///
  /// - Parameters:
  ///   - prefix: The scheduler's name in issues, or an empty string for none.
  ///   - now: The date that ``now`` returns.
  public init(
    _ prefix: String = "", now: SchedulerTimeType, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.prefix = prefix
    moment = now
    uses = ReportedUses(
      of: prefix.isEmpty ? "An unimplemented scheduler" : "The unimplemented scheduler '\(prefix)'",
      CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// The date at which time stands still. The first read is reported.
  public var now: SchedulerTimeType {
    uses.report("'now' was read")
    return moment
  }

  /// Zero. The first read is reported.
  public var minimumTolerance: SchedulerTimeType.Stride {
    uses.report("'minimumTolerance' was read")
    return .zero
  }

  /// Runs an action immediately and reports the first such call.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    uses.report("'schedule(options:_:)' was called")
    action()
  }

  /// Runs an action immediately and reports the first such call.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    uses.report("'schedule(after:tolerance:options:_:)' was called")
    action()
  }

  /// Runs an action immediately without repeating it, and reports the first such call.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    uses.report("'schedule(after:interval:tolerance:options:_:)' was called")
    action()
    return NothingToCancel()
  }

  /// Runs an action immediately and reports the first such call.
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    uses.report("'scheduleOnce(after:tolerance:options:_:)' was called")
    action()
    return NothingToCancel()
  }
}

extension UnimplementedScheduler: Sendable where SchedulerTimeType: Sendable {}

/// An unimplemented scheduler with the time and options types of another scheduler.
public typealias UnimplementedSchedulerOf<S: Scheduler> = UnimplementedScheduler<
  S.SchedulerTimeType, S.SchedulerOptions
>
