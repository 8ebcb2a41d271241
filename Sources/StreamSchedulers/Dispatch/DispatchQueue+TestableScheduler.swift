public import Dispatch

extension DispatchQueue: TestableScheduler {
  /// 1 ns, because a `DispatchTime` of zero nanoseconds means now.
  public static var _testTimeOrigin: SchedulerTimeType { SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1)) }

  /// The name of the type.
  public static var _unimplementedName: String { "DispatchQueue" }
}

extension DispatchQueue.SchedulerOptions: _TestableSchedulerOptions {
  /// The scheduler type that has these options.
  public typealias _Owner = DispatchQueue
}
