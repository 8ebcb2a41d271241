public import Foundation
public import StreamSchedulers
public import Streams

extension OperationQueue {
  /// A scheduler that runs all work at once, with the time and the options of an operation queue.
  ///
  /// Its time stands still at the beginning of 1970.
  public static var immediate: ImmediateSchedulerOf<OperationQueue> {
    ImmediateScheduler(now: SchedulerTimeType(Date(timeIntervalSince1970: 0)))
  }

  /// A scheduler that reports an issue when it is used.
  public static var unimplemented: UnimplementedSchedulerOf<OperationQueue> { unimplemented("OperationQueue") }

  /// A scheduler with a name that reports an issue when it is used.
  public static func unimplemented(
    _ prefix: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> UnimplementedSchedulerOf<OperationQueue> {
    UnimplementedScheduler(
      prefix, now: immediate.now, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// A new test scheduler with the time of operation queues; it starts in 1970.
  public static var test: TestSchedulerOf<OperationQueue> { test(order: .fifo) }

  /// A new test scheduler that runs what is due at the same moment in a certain order.
  public static func test(order: RunOrder) -> TestSchedulerOf<OperationQueue> {
    TestScheduler(now: SchedulerTimeType(Date(timeIntervalSince1970: 0)), order: order)
  }

  /// A new test scheduler with the time of operation queues, which shares the time of another scheduler.
  ///
  /// The timeline began in 1970 in its time, as with ``test``.
  public static func test<Time: Strideable, Options>(
    sharing scheduler: TestScheduler<Time, Options>
  ) -> TestSchedulerOf<OperationQueue> where Time.Stride: SchedulerTimeIntervalConvertible {
    TestScheduler(now: test.origin, sharing: scheduler)
  }

  /// A new test scheduler with the time of operation queues, which shares the time of a clock.
  public static func test<D: VirtualDuration>(sharing clock: TestClock<D>) -> TestSchedulerOf<OperationQueue> {
    TestScheduler(now: test.origin, sharing: clock)
  }
}

extension AnySchedulerOf<OperationQueue> {
  /// A scheduler that runs all work at once.
  public static var immediate: Self { OperationQueue.immediate.eraseToAnyScheduler() }

  /// A scheduler that reports an issue when it is used.
  public static var unimplemented: Self { OperationQueue.unimplemented.eraseToAnyScheduler() }

  /// A scheduler with a name that reports an issue when it is used.
  public static func unimplemented(
    _ prefix: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> Self {
    OperationQueue.unimplemented(prefix, fileID: fileID, filePath: filePath, line: line, column: column)
      .eraseToAnyScheduler()
  }

  /// The main operation queue.
  public static var main: Self { mainOperationQueue }
}

/// Made once, because it is asked for again and again.
private let mainOperationQueue = OperationQueue.main.eraseToAnyScheduler()

// MARK: - Former names

extension OperationQueue {
  /// The former name of `OperationQueue.immediate`.
  @available(*, deprecated, renamed: "immediate")
  public static var immediateScheduler: ImmediateSchedulerOf<OperationQueue> { immediate }

  /// The former name of `OperationQueue.unimplemented`.
  @available(*, deprecated, renamed: "unimplemented")
  public static var failing: UnimplementedSchedulerOf<OperationQueue> { unimplemented }

  /// The former name of `OperationQueue.unimplemented(_:)`.
  @available(*, deprecated, renamed: "unimplemented(_:)")
  public static func failing(_ prefix: String) -> UnimplementedSchedulerOf<OperationQueue> { unimplemented(prefix) }
}

extension AnySchedulerOf<OperationQueue> {
  /// The former name of `unimplemented`.
  @available(*, deprecated, renamed: "unimplemented")
  public static var failing: Self { unimplemented }

  /// The former name of `unimplemented(_:)`.
  @available(*, deprecated, renamed: "unimplemented(_:)")
  public static func failing(_ prefix: String) -> Self { unimplemented(prefix) }
}
