public import Dispatch

extension DispatchQueue {
  /// A new test scheduler with the time of dispatch queues.
  ///
  /// It starts at 1 ns, because a dispatch time of zero means now.
  public static var test: TestSchedulerOf<DispatchQueue> { test(order: .fifo) }

  /// A new test scheduler that runs what is due at the same moment in a certain order.
  public static func test(order: RunOrder) -> TestSchedulerOf<DispatchQueue> {
    TestScheduler(now: SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1)), order: order)
  }
}
