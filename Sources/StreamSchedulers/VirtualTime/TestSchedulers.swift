public import Dispatch
public import Foundation

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

extension OperationQueue {
  /// A new test scheduler with the time of operation queues; it starts in 1970.
  public static var test: TestSchedulerOf<OperationQueue> { test(order: .fifo) }

  /// A new test scheduler that runs what is due at the same moment in a certain order.
  public static func test(order: RunOrder) -> TestSchedulerOf<OperationQueue> {
    TestScheduler(now: SchedulerTimeType(Date(timeIntervalSince1970: 0)), order: order)
  }
}

extension RunLoop {
  /// A new test scheduler with the time of run loops; it starts in 1970.
  public static var test: TestSchedulerOf<RunLoop> { test(order: .fifo) }

  /// A new test scheduler that runs what is due at the same moment in a certain order.
  public static func test(order: RunOrder) -> TestSchedulerOf<RunLoop> {
    TestScheduler(now: SchedulerTimeType(Date(timeIntervalSince1970: 0)), order: order)
  }
}
