internal import Synchronization

/// A namespace for starting the package's tasks, with names that say which operator started them.
///
/// A debugger shows the name of a task, and `Task.name` is the name of the caller's task. The name is copied for each task,
/// even if it's a literal, which costs a third as much as the rest of the task. Tasks therefore have names in debug builds, and
/// in release builds once ``areNamed`` is set.
package enum NamedTask {
  private static let isOn = Atomic(isDebugBuild)

  private static var isDebugBuild: Bool {
    var isDebugBuild = false
    // An assertion is evaluated in debug builds only.
    assert(
      {
        isDebugBuild = true
        return true
      }())
    return isDebugBuild
  }

  /// Indicates whether tasks started from now on get names.
  package static var areNamed: Bool {
    get { isOn.load(ordering: .relaxed) }
    set { isOn.store(newValue, ordering: .relaxed) }
  }

  /// Returns a name, or `nil` if tasks don't get names.
  package static func name(_ name: String) -> String? { areNamed ? name : nil }

  /// Starts a task that prefers the given executor or, without one, the timeline that the calling thread is advancing.
  ///
  /// Inlined, so a task without a name costs no more than one that the caller creates itself.
  @inline(__always) @discardableResult
  package static func start<Success: Sendable>(
    _ name: String, on executor: (any TaskExecutor)? = nil, _ priority: TaskPriority? = nil,
    operation: sending @escaping () async -> Success
  ) -> Task<Success, Never> {
    let executor = executor ?? ExecutionEnvironment.taskExecutor
    if areNamed { return startNamed(name, executor, priority, operation) }
    return Task(executorPreference: executor, priority: priority, operation: operation)
  }

  @inline(never)
  private static func startNamed<Success: Sendable>(
    _ name: String, _ executor: (any TaskExecutor)?, _ priority: TaskPriority?,
    _ operation: sending @escaping () async -> Success
  ) -> Task<Success, Never> {
    Task(name: name, executorPreference: executor, priority: priority, operation: operation)
  }
}
