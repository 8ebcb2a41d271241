public import Dispatch
public import Streams

/// Reports an issue when it is used.
///
/// A test gives it to code that is expected not to work with time, and so proves that it does not:
///
/// ```swift
/// let search = Search(scheduler: .unimplemented("search"))
/// search.clear()  // fails the test if it schedules anything or asks for the time
/// ```
///
/// Every kind of use is reported once, also reading ``now`` and ``minimumTolerance``; the issue names the scheduler and what
/// was called on it. Copies of a scheduler, erased ones among them, report once between them. Work then runs at once, and
/// repeated work once, so that the test goes on. Issues are reported at the line where the scheduler was made, where Swift
/// lets it know that line.
public struct UnimplementedScheduler<SchedulerTimeType: Strideable, SchedulerOptions>: Scheduler
where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  /// What the scheduler is called in issues; empty for none.
  public let prefix: String

  private let moment: SchedulerTimeType
  private let uses: ReportedUses

  /// Makes one that is called by a name and whose time stands still at a moment.
  public init(
    _ prefix: String = "", now: SchedulerTimeType, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.prefix = prefix
    moment = now
    uses = ReportedUses(
      of: prefix.isEmpty ? "An unimplemented scheduler" : "The unimplemented scheduler '\(prefix)'",
      SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// The moment at which time stands still. Reading it is reported, once.
  public var now: SchedulerTimeType {
    uses.report("'now' was read")
    return moment
  }

  /// Zero. Reading it is reported, once.
  public var minimumTolerance: SchedulerTimeType.Stride {
    uses.report("'minimumTolerance' was read")
    return .zero
  }

  /// Reports an issue, once, and runs work at once.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    uses.report("'schedule(options:_:)' was called")
    action()
  }

  /// Reports an issue, once, and runs work at once.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    uses.report("'schedule(after:tolerance:options:_:)' was called")
    action()
  }

  /// Reports an issue, once, and runs work at once, without repeating it.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    uses.report("'schedule(after:interval:tolerance:options:_:)' was called")
    action()
    return NothingToCancel()
  }

  /// Reports an issue, once, and runs work at once.
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

/// An unimplemented scheduler with the time and the options of another scheduler.
public typealias UnimplementedSchedulerOf<S: Scheduler> = UnimplementedScheduler<
  S.SchedulerTimeType, S.SchedulerOptions
>

extension DispatchQueue {
  /// A scheduler that reports an issue when it is used.
  public static var unimplemented: UnimplementedSchedulerOf<DispatchQueue> { unimplemented("DispatchQueue") }

  /// A scheduler with a name that reports an issue when it is used.
  public static func unimplemented(
    _ prefix: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> UnimplementedSchedulerOf<DispatchQueue> {
    UnimplementedScheduler(
      prefix, now: immediate.now, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

extension AnySchedulerOf<DispatchQueue> {
  /// A scheduler that reports an issue when it is used.
  public static var unimplemented: Self { DispatchQueue.unimplemented.eraseToAnyScheduler() }

  /// A scheduler with a name that reports an issue when it is used.
  public static func unimplemented(
    _ prefix: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> Self {
    DispatchQueue.unimplemented(prefix, fileID: fileID, filePath: filePath, line: line, column: column)
      .eraseToAnyScheduler()
  }
}
