public import Dispatch
public import Foundation

extension DispatchQueue {
  /// A new test scheduler with the time of dispatch queues.
  ///
  /// It starts at 1 ns, because a dispatch time of zero means now.
  public static var test: TestSchedulerOf<DispatchQueue> {
    TestScheduler(now: SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1)))
  }
}

extension OperationQueue {
  /// A new test scheduler with the time of operation queues; it starts in 1970.
  public static var test: TestSchedulerOf<OperationQueue> {
    TestScheduler(now: SchedulerTimeType(Date(timeIntervalSince1970: 0)))
  }
}

extension RunLoop {
  /// A new test scheduler with the time of run loops; it starts in 1970.
  public static var test: TestSchedulerOf<RunLoop> {
    TestScheduler(now: SchedulerTimeType(Date(timeIntervalSince1970: 0)))
  }
}
