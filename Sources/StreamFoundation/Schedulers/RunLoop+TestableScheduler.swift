public import Foundation
public import StreamSchedulers

extension RunLoop: TestableScheduler {
  /// The beginning of 1970.
  public static var _testTimeOrigin: SchedulerTimeType { SchedulerTimeType(Date(timeIntervalSince1970: 0)) }

  /// The name of the type.
  public static var _unimplementedName: String { "RunLoop" }
}

extension RunLoop.SchedulerOptions: _TestableSchedulerOptions {
  /// Run loops.
  public typealias _Owner = RunLoop
}

extension AnySchedulerOf<RunLoop> {
  /// A scheduler that forwards to the run loop of the main thread.
  public static var main: Self { mainRunLoop }
}

/// The scheduler `main`, created once because it's used often.
private let mainRunLoop = RunLoop.main.eraseToAnyScheduler()
