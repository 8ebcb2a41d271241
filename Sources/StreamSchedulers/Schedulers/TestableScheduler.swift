public import Streams

/// A queue or a run loop for which tests have stand-ins: `DispatchQueue`, `OperationQueue` and `RunLoop`.
///
/// A stand-in has the time and the options of the scheduler that it replaces, so it fits wherever that scheduler does:
///
/// ```swift
/// let scheduler = DispatchQueue.test
/// let search = Search(scheduler: scheduler.eraseToAnyScheduler())
/// ```
///
/// A stand-in's time starts at 1 ns for dispatch queues, because a `DispatchTime` of zero nanoseconds means now, and at the
/// beginning of 1970 for operation queues and run loops.
public protocol TestableScheduler: Scheduler {
  /// The date at which a stand-in's time starts.
  static var _testTimeOrigin: SchedulerTimeType { get }

  /// The name of unimplemented stand-ins in issues.
  static var _unimplementedName: String { get }
}

extension TestableScheduler {
  /// A scheduler with this type's time and options that runs every action immediately.
  ///
  /// ```swift
  /// prices.debounce(for: .seconds(1), scheduler: DispatchQueue.immediate)
  /// ```
  ///
  /// Its time stands still at the start date of ``test``.
  @_disfavoredOverload
  public static var immediate: ImmediateSchedulerOf<Self> { ImmediateScheduler(now: _testTimeOrigin) }

  /// A scheduler with this type's time and options that reports an issue when you use it.
  ///
  /// ```swift
  /// let search = Search(scheduler: DispatchQueue.unimplemented.eraseToAnyScheduler())
  /// ```
  @_disfavoredOverload
  public static var unimplemented: UnimplementedSchedulerOf<Self> { unimplemented(_unimplementedName) }

  /// Returns a named scheduler with this type's time and options that reports an issue when you use it.
  ///
  /// - Parameter prefix: The scheduler's name in issues.
  @_disfavoredOverload
  public static func unimplemented(
    _ prefix: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> UnimplementedSchedulerOf<Self> {
    UnimplementedScheduler(
      prefix, now: _testTimeOrigin, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// A new test scheduler with this type's time and options.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test
  /// let model = SearchModel(scheduler: scheduler.eraseToAnyScheduler())
  /// scheduler.advance(by: .milliseconds(300))
  /// ```
  ///
  /// Its time starts at 1 ns for dispatch queues, and at the beginning of 1970 for operation queues and run loops.
  @_disfavoredOverload
  public static var test: TestSchedulerOf<Self> { test(order: .fifo) }

  /// Returns a new test scheduler with this type's time and options that runs simultaneous actions in a given order.
  ///
  /// - Parameter order: The order of actions that are due at the same date.
  /// - Returns: A test scheduler with the same start date as ``test``.
  @_disfavoredOverload
  public static func test(
    order: RunOrder,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> TestSchedulerOf<Self> {
    TestScheduler(
      now: _testTimeOrigin, order: order, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Returns a new test scheduler with this type's time and options on another test scheduler's timeline.
  ///
  /// ```swift
  /// let queue = DispatchQueue.test
  /// let runLoop = RunLoop.test(sharing: queue)
  /// ```
  ///
  /// In the new scheduler's time, the timeline begins at the start date of ``test``.
  ///
  /// - Parameter scheduler: The scheduler whose time to share.
  /// - Returns: A test scheduler on the other scheduler's timeline.
  @_disfavoredOverload
  public static func test<Time: Strideable, Options>(
    sharing scheduler: TestScheduler<Time, Options>
  ) -> TestSchedulerOf<Self> where Time.Stride: SchedulerTimeIntervalConvertible {
    TestScheduler(now: _testTimeOrigin, sharing: scheduler)
  }

  /// Returns a new test scheduler with this type's time and options on a test clock's timeline.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// let queue = DispatchQueue.test(sharing: clock)
  /// ```
  ///
  /// - Parameter clock: The clock whose time to share.
  /// - Returns: A test scheduler on the clock's timeline.
  @_disfavoredOverload
  public static func test<D: VirtualDuration>(sharing clock: TestClock<D>) -> TestSchedulerOf<Self> {
    TestScheduler(now: _testTimeOrigin, sharing: clock)
  }
}
