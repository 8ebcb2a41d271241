public import Streams

extension Deferred {
  /// Creates a publisher that starts a task for each subscriber and publishes the result of an asynchronous closure.
  ///
  /// ```swift
  /// let page = Deferred { try await download(url) }.retry(2)
  /// ```
  ///
  /// The task starts on subscription, before any demand arrives. The task's value waits for demand, but its error doesn't.
  /// Cancelling the subscription cancels the task and drops its value or error.
  ///
  /// The closure runs on the first of these that exists: the actor that your surrounding code is isolated to, the scheduler's
  /// task executor, the timeline (a test's virtual time) that the subscribing thread is advancing, or the global concurrent
  /// executor. The value is delivered on the actor or executor on which the closure ended or, if it had to wait, on the thread
  /// that requests it. Each subscriber costs a task and about fifteen objects.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler whose `taskExecutor`, if any, runs the task. A test scheduler has one.
  ///   - priority: The priority of the task.
  ///   - operation: An asynchronous closure that produces the result. A result that isn't `Sendable` must not be
  ///     shared with other code.
  @_disfavoredOverload
  public init<Success, Problem>(
    on scheduler: (any Scheduler)? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext operation: @escaping @isolated(any) @Sendable () async throws(Problem) -> sending Success
  ) where DeferredPublisher == Future<Success, Problem> {
    self.init(createPublisher: { Future(on: scheduler, priority: priority, operation: operation) })
  }

  /// Creates a publisher that starts a task on an `executor` for each subscriber, like ``init(on:priority:operation:)``.
  @_disfavoredOverload
  public init<Success, Problem>(
    on executor: any TaskExecutor, priority: TaskPriority? = nil,
    @_inheritActorContext operation: @escaping @isolated(any) @Sendable () async throws(Problem) -> sending Success
  ) where DeferredPublisher == Future<Success, Problem> {
    self.init(createPublisher: { Future(on: executor, priority: priority, operation: operation) })
  }
}
