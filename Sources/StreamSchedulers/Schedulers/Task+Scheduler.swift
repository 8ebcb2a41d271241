public import Streams

extension Task where Failure == Never {
  /// Starts a task on a scheduler: on the timeline of a test scheduler, otherwise on the global concurrent executor.
  ///
  /// Code that takes its scheduler as a parameter starts its tasks this way, so that a test can drive them:
  ///
  /// ```swift
  /// Task(on: scheduler) { await model.load() }
  /// ```
  ///
  /// The closure is not isolated to the caller's actor; write `{ @MainActor in … }` to run it on the main actor. Child
  /// tasks stay on the timeline; a task that the closure starts without a scheduler does not.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler on which to run the task.
  ///   - priority: The priority of the task.
  ///   - operation: The closure to run.
  @_disfavoredOverload
  @discardableResult
  public init<S: Scheduler>(
    on scheduler: S, priority: TaskPriority? = nil, operation: sending @escaping () async -> Success
  ) {
    self.init(executorPreference: scheduler.taskExecutor, priority: priority, operation: operation)
  }
}

extension Task where Failure == any Error {
  /// Starts a throwing task on a scheduler: on the timeline of a test scheduler, otherwise on the global concurrent
  /// executor.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler on which to run the task.
  ///   - priority: The priority of the task.
  ///   - operation: The closure to run.
  @_disfavoredOverload
  @discardableResult
  public init<S: Scheduler>(
    on scheduler: S, priority: TaskPriority? = nil, operation: sending @escaping () async throws -> Success
  ) {
    self.init(executorPreference: scheduler.taskExecutor, priority: priority, operation: operation)
  }
}
