internal import Synchronization

/// Information about the execution environment that the kernel can't obtain itself, provided by a higher-level module.
///
/// `StreamSchedulers` installs it when one of its schedulers is first used. Without it, everything works, but some
/// values take an avoidable hop, and tasks run on the global concurrent executor.
package final class ExecutionEnvironment: Sendable {
  /// Indicates whether the caller runs on the main actor, even in a virtual world. A wrong `true` would cause a data race. A
  /// wrong `false` costs a hop.
  let isOnMainActor: @Sendable () -> Bool

  /// Returns the executor for the tasks that the calling thread starts, if that thread is advancing a timeline.
  let taskExecutor: @Sendable () -> (any TaskExecutor)?

  package init(
    isOnMainActor: @escaping @Sendable () -> Bool, taskExecutor: @escaping @Sendable () -> (any TaskExecutor)?
  ) {
    self.isOnMainActor = isOnMainActor
    self.taskExecutor = taskExecutor
  }

  private static let installed = Atomic<Unmanaged<ExecutionEnvironment>?>(nil)

  /// The installed environment, if any.
  static var current: ExecutionEnvironment? {
    // The installed object is never released.
    installed.load(ordering: .acquiring)?.takeUnretainedValue()
  }

  /// Installs the environment for the rest of the process. The first installation stays in effect.
  package static func install(_ environment: ExecutionEnvironment) {
    let retained = Unmanaged.passRetained(environment)
    let (isFirst, _) = installed.compareExchange(expected: nil, desired: retained, ordering: .acquiringAndReleasing)
    if !isFirst { retained.release() }
  }

  /// The executor for the tasks that the kernel starts here: the timeline that the calling thread is advancing, or
  /// `nil` for the global concurrent executor.
  package static var taskExecutor: (any TaskExecutor)? { current?.taskExecutor() }
}
