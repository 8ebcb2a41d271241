public import Streams

extension Task where Failure == Never {
  /// Starts a task on a scheduler: on its timeline if it is a test scheduler, else on the threads of the process.
  ///
  /// Code that takes its scheduler from outside starts its tasks like this, so that a test can drive them:
  ///
  /// ```swift
  /// Task(on: scheduler) { await model.load() }
  /// ```
  ///
  /// The closure does not belong to the caller's actor; write `{ @MainActor in … }` for one that is to run there. A task
  /// that is started inside without a scheduler does not belong to the timeline, only child tasks do.
  @discardableResult
  public init<S: Scheduler>(
    on scheduler: S, priority: TaskPriority? = nil, operation: sending @escaping () async -> Success
  ) {
    self.init(executorPreference: scheduler.taskExecutor, priority: priority, operation: operation)
  }
}

extension Task where Failure == any Error {
  /// Starts a task that may throw on a scheduler: on its timeline if it is a test scheduler, else on the threads of the
  /// process.
  @discardableResult
  public init<S: Scheduler>(
    on scheduler: S, priority: TaskPriority? = nil, operation: sending @escaping () async throws -> Success
  ) {
    self.init(executorPreference: scheduler.taskExecutor, priority: priority, operation: operation)
  }
}
