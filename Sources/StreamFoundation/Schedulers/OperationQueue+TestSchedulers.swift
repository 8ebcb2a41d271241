public import Foundation
public import StreamSchedulers
public import Streams

extension OperationQueue {
  /// A scheduler that runs every action at once, with the time and options of operation queues.
  ///
  /// Its time stands still at the beginning of 1970.
  @_disfavoredOverload
  public static var immediate: ImmediateSchedulerOf<OperationQueue> {
    ImmediateScheduler(now: SchedulerTimeType(Date(timeIntervalSince1970: 0)))
  }

  /// A scheduler with the time of operation queues that reports an issue when it is used.
  @_disfavoredOverload
  public static var unimplemented: UnimplementedSchedulerOf<OperationQueue> { unimplemented("OperationQueue") }

  /// Returns a named scheduler with the time of operation queues that reports an issue when it is used.
  ///
  /// - Parameter prefix: The name of the scheduler in issues.
  /// - Returns: An unimplemented scheduler.
  @_disfavoredOverload
  public static func unimplemented(
    _ prefix: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> UnimplementedSchedulerOf<OperationQueue> {
    UnimplementedScheduler(
      prefix, now: immediate.now, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// A new test scheduler with the time of operation queues, which starts at the beginning of 1970.
  @_disfavoredOverload
  public static var test: TestSchedulerOf<OperationQueue> { test(order: .fifo) }

  /// Returns a new test scheduler with the time of operation queues and a given order of simultaneous actions.
  ///
  /// - Parameter order: The order of actions that are due at the same date.
  /// - Returns: A test scheduler whose time starts at the beginning of 1970.
  @_disfavoredOverload
  public static func test(
    order: RunOrder,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> TestSchedulerOf<OperationQueue> {
    TestScheduler(
      now: SchedulerTimeType(Date(timeIntervalSince1970: 0)), order: order, fileID: fileID, filePath: filePath,
      line: line, column: column)
  }

  /// Returns a new test scheduler with the time of operation queues that shares the time of another scheduler.
  ///
  /// In the new scheduler's time, the timeline begins at the beginning of 1970, as with ``test``.
  ///
  /// - Parameter scheduler: The scheduler whose time to share.
  /// - Returns: A test scheduler on the timeline of the other scheduler.
  @_disfavoredOverload
  public static func test<Time: Strideable, Options>(
    sharing scheduler: TestScheduler<Time, Options>
  ) -> TestSchedulerOf<OperationQueue> where Time.Stride: SchedulerTimeIntervalConvertible {
    TestScheduler(now: test.origin, sharing: scheduler)
  }

  /// Returns a new test scheduler with the time of operation queues that shares the time of a clock.
  ///
  /// - Parameter clock: The clock whose time to share.
  /// - Returns: A test scheduler on the timeline of the clock.
  @_disfavoredOverload
  public static func test<D: VirtualDuration>(sharing clock: TestClock<D>) -> TestSchedulerOf<OperationQueue> {
    TestScheduler(now: test.origin, sharing: clock)
  }
}

extension AnySchedulerOf<OperationQueue> {
  /// A type-erased scheduler that runs every action at once.
  public static var immediate: Self { OperationQueue.immediate.eraseToAnyScheduler() }

  /// A type-erased scheduler that reports an issue when it is used.
  public static var unimplemented: Self { OperationQueue.unimplemented.eraseToAnyScheduler() }

  /// Returns a named, type-erased scheduler that reports an issue when it is used.
  ///
  /// - Parameter prefix: The name of the scheduler in issues.
  /// - Returns: An unimplemented scheduler.
  public static func unimplemented(
    _ prefix: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> Self {
    OperationQueue.unimplemented(prefix, fileID: fileID, filePath: filePath, line: line, column: column)
      .eraseToAnyScheduler()
  }

  /// A scheduler that forwards to the main operation queue.
  public static var main: Self { mainOperationQueue }
}

/// Created once, because it is used often.
private let mainOperationQueue = OperationQueue.main.eraseToAnyScheduler()

// MARK: - Former names

extension OperationQueue {
  /// The former name of `OperationQueue.immediate`.
  @_disfavoredOverload
  @available(*, deprecated, renamed: "immediate")
  public static var immediateScheduler: ImmediateSchedulerOf<OperationQueue> { immediate }

  /// The former name of `OperationQueue.unimplemented`.
  @_disfavoredOverload
  @available(*, deprecated, renamed: "unimplemented")
  public static var failing: UnimplementedSchedulerOf<OperationQueue> { unimplemented }

  /// The former name of `OperationQueue.unimplemented(_:)`.
  ///
  /// - Parameter prefix: The name of the scheduler in issues.
  /// - Returns: An unimplemented scheduler.
  @_disfavoredOverload
  @available(*, deprecated, renamed: "unimplemented(_:)")
  public static func failing(_ prefix: String) -> UnimplementedSchedulerOf<OperationQueue> { unimplemented(prefix) }
}

extension AnySchedulerOf<OperationQueue> {
  /// The former name of `unimplemented`.
  @available(*, deprecated, renamed: "unimplemented")
  public static var failing: Self { unimplemented }

  /// The former name of `unimplemented(_:)`.
  ///
  /// - Parameter prefix: The name of the scheduler in issues.
  /// - Returns: An unimplemented scheduler.
  @available(*, deprecated, renamed: "unimplemented(_:)")
  public static func failing(_ prefix: String) -> Self { unimplemented(prefix) }
}
