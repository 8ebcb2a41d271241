import DequeModule
import OpenCombine

/// A scheduler that keeps work until it is run by hand. It ignores dates.
final class ClosureQueue: Scheduler {
  typealias SchedulerTimeType = ImmediateScheduler.SchedulerTimeType
  typealias SchedulerOptions = Never

  @exclusivity(unchecked) private var closures = Deque<() -> Void>()

  var now: SchedulerTimeType { ImmediateScheduler.shared.now }
  var minimumTolerance: SchedulerTimeType.Stride { 0 }

  func schedule(options: Never?, _ action: @escaping () -> Void) { closures.append(action) }

  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
  ) {
    closures.append(action)
  }

  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    closures.append(action)
    return AnyCancellable {}
  }

  /// Runs the waiting work.
  func run() {
    while let closure = closures.popFirst() { closure() }
  }
}
