public import Streams

extension Task where Failure == Never {
  /// Starts a task in a scheduler's virtual time, or on the global concurrent executor if the scheduler is live.
  ///
  /// If your code takes its scheduler as a parameter, start its tasks this way, so that a test can drive them:
  ///
  /// ```swift
  /// Task(on: scheduler) { await model.load() }
  /// ```
  ///
  /// The closure isn't isolated to the caller's actor. To run it on the main actor, write `{ @MainActor in … }`. Child tasks
  /// stay in virtual time. An unstructured task that the closure starts without a scheduler doesn't.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler to run the task on.
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
  /// Starts a throwing task in a scheduler's virtual time, or on the global concurrent executor if the scheduler is live.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler to run the task on.
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
