public import Dispatch

extension DispatchQueue {
  /// A new test scheduler with the time of dispatch queues.
  ///
  /// Its time starts at 1 ns, because a `DispatchTime` of zero nanoseconds means now.
  @_disfavoredOverload
  public static var test: TestSchedulerOf<DispatchQueue> { test(order: .fifo) }

  /// Returns a new test scheduler with the time of dispatch queues and a given order of simultaneous actions.
  ///
  /// - Parameter order: The order of actions that are due at the same date.
  /// - Returns: A test scheduler whose time starts at 1 ns.
  @_disfavoredOverload
  public static func test(
    order: RunOrder,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> TestSchedulerOf<DispatchQueue> {
    TestScheduler(
      now: SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1)), order: order, fileID: fileID, filePath: filePath,
      line: line, column: column)
  }
}
