public import Foundation
public import StreamSchedulers
public import Streams

extension RunLoop {
  /// A scheduler that runs all work at once, with the time and the options of a run loop.
  ///
  /// Its time stands still at the beginning of 1970.
  public static var immediate: ImmediateSchedulerOf<RunLoop> {
    ImmediateScheduler(now: SchedulerTimeType(Date(timeIntervalSince1970: 0)))
  }

  /// A scheduler that reports an issue when it is used.
  public static var unimplemented: UnimplementedSchedulerOf<RunLoop> { unimplemented("RunLoop") }

  /// A scheduler with a name that reports an issue when it is used.
  public static func unimplemented(
    _ prefix: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> UnimplementedSchedulerOf<RunLoop> {
    UnimplementedScheduler(
      prefix, now: immediate.now, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// A new test scheduler with the time of run loops; it starts in 1970.
  public static var test: TestSchedulerOf<RunLoop> { test(order: .fifo) }

  /// A new test scheduler that runs what is due at the same moment in a certain order.
  public static func test(order: RunOrder) -> TestSchedulerOf<RunLoop> {
    TestScheduler(now: SchedulerTimeType(Date(timeIntervalSince1970: 0)), order: order)
  }

  /// A new test scheduler with the time of run loops, which shares the time of another scheduler.
  ///
  /// The timeline began in 1970 in its time, as with ``test``.
  public static func test<Time: Strideable, Options>(
    sharing scheduler: TestScheduler<Time, Options>
  ) -> TestSchedulerOf<RunLoop> where Time.Stride: SchedulerTimeIntervalConvertible {
    TestScheduler(now: test.origin, sharing: scheduler)
  }

  /// A new test scheduler with the time of run loops, which shares the time of a clock.
  public static func test<D: VirtualDuration>(sharing clock: TestClock<D>) -> TestSchedulerOf<RunLoop> {
    TestScheduler(now: test.origin, sharing: clock)
  }
}

extension AnySchedulerOf<RunLoop> {
  /// A scheduler that runs all work at once.
  public static var immediate: Self { RunLoop.immediate.eraseToAnyScheduler() }

  /// A scheduler that reports an issue when it is used.
  public static var unimplemented: Self { RunLoop.unimplemented.eraseToAnyScheduler() }

  /// A scheduler with a name that reports an issue when it is used.
  public static func unimplemented(
    _ prefix: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> Self {
    RunLoop.unimplemented(prefix, fileID: fileID, filePath: filePath, line: line, column: column)
      .eraseToAnyScheduler()
  }

  /// The run loop of the main thread.
  public static var main: Self { mainRunLoop }
}

/// Made once, because it is asked for again and again.
private let mainRunLoop = RunLoop.main.eraseToAnyScheduler()

// MARK: - Former names

extension RunLoop {
  /// The former name of `RunLoop.immediate`.
  @available(*, deprecated, renamed: "immediate")
  public static var immediateScheduler: ImmediateSchedulerOf<RunLoop> { immediate }

  /// The former name of `RunLoop.unimplemented`.
  @available(*, deprecated, renamed: "unimplemented")
  public static var failing: UnimplementedSchedulerOf<RunLoop> { unimplemented }

  /// The former name of `RunLoop.unimplemented(_:)`.
  @available(*, deprecated, renamed: "unimplemented(_:)")
  public static func failing(_ prefix: String) -> UnimplementedSchedulerOf<RunLoop> { unimplemented(prefix) }
}

extension AnySchedulerOf<RunLoop> {
  /// The former name of `unimplemented`.
  @available(*, deprecated, renamed: "unimplemented")
  public static var failing: Self { unimplemented }

  /// The former name of `unimplemented(_:)`.
  @available(*, deprecated, renamed: "unimplemented(_:)")
  public static func failing(_ prefix: String) -> Self { unimplemented(prefix) }
}
