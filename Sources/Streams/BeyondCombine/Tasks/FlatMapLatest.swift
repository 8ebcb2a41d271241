extension Publisher {
  /// Runs an asynchronous closure with every value, cancels it when another value comes, and sends what the newest returns.
  ///
  /// ```swift
  /// results = $query.debounce(for: 0.3, scheduler: DispatchQueue.main).flatMapLatest { await search($0) }
  /// ```
  ///
  /// ![Marble diagram of flatMapLatest](diagram-flatMapLatest)
  ///
  /// Each value starts a task, and before that the task of the value before is cancelled; what that returns or throws is dropped
  /// also if it does not heed the cancellation. A cancelled task that does not may still run beside the new one. It asks
  /// upstream for everything; a result waits until it is asked for, and is superseded as a task is.
  ///
  /// It finishes when upstream and the last task have, and fails as soon as upstream does or the newest closure throws; a task
  /// that runs is cancelled then, as it is when the stream is cancelled.
  ///
  /// Which closure goes with which failure of upstream, where the closure runs, what becomes of values that are not `Sendable`,
  /// and the cost are as in `flatMap(maxTasks:on:_:)`.
  ///
  /// - Parameters:
  ///   - scheduler: Where the tasks run, if its `taskExecutor` is not nil. A test scheduler runs them on its timeline.
  ///   - transform: What makes a result of a value. One that is not `Sendable` must be the closure's own to give away.
  public __consuming func flatMapLatest<T>(
    on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Failure) -> sending T
  ) -> Publishers.SwitchToLatest<Deferred<Future<T, Failure>>, Publishers.Map<Self, Deferred<Future<T, Failure>>>> {
    // The operator that starts the task is the one that has cancelled the one before; `map` starts none.
    map { deferredTask(on: scheduler, transform, with: $0) }.switchToLatest()
  }
}

extension Publisher where Failure == Never {
  /// Runs an asynchronous closure that may throw with every value, cancels it when another value comes, and sends what the
  /// newest returns.
  ///
  /// Of all else, see the method for a closure that throws what upstream fails with.
  @_disfavoredOverload
  public __consuming func flatMapLatest<T, Problem>(
    on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Problem) -> sending T
  )
    -> Publishers.SwitchToLatest<
      Deferred<Future<T, Problem>>,
      Publishers.Map<Publishers.SetFailureType<Self, Problem>, Deferred<Future<T, Problem>>>
    >
  {
    setFailureType(to: Problem.self).flatMapLatest(on: scheduler, transform)
  }
}
