public import Foundation
public import StreamSchedulers

extension OperationQueue: TestableScheduler {
  /// The beginning of 1970.
  public static var _testTimeOrigin: SchedulerTimeType { SchedulerTimeType(Date(timeIntervalSince1970: 0)) }

  /// The name of the type.
  public static var _unimplementedName: String { "OperationQueue" }
}

extension OperationQueue.SchedulerOptions: _TestableSchedulerOptions {
  /// Operation queues.
  public typealias _Owner = OperationQueue
}

extension AnySchedulerOf<OperationQueue> {
  /// A scheduler that forwards to the main operation queue.
  public static var main: Self { mainOperationQueue }
}

/// The scheduler `main`, created once because it's used often.
private let mainOperationQueue = OperationQueue.main.eraseToAnyScheduler()
