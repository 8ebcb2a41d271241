extension Publisher {
  /// Runs an asynchronous closure for each value, a limited number at a time, and publishes the results as they arrive.
  ///
  /// ```swift
  /// images = urls.flatMap(maxTasks: 4) { try await download($0) }
  /// ```
  ///
  /// ![The source publishes a, b and c at 100, 300 and 500 ms and finishes at 700 ms; the result publishes b1, a1 and c1 at 500, 600 and 700 ms and finishes.](diagram-flatMap-maxTasks)
  ///
  /// Each value starts a task. Like `flatMap` with publishers, it requests `maxTasks` values from upstream regardless
  /// of downstream's demand, and another one when a task has ended.
  /// A subject keeps no value that was not requested: put `buffer(size:prefetch:whenFull:)` between it and this operator.
  /// Results wait for demand. A task counts until its
  /// result has been delivered, so there are never more than `maxTasks` running tasks and waiting results together.
  /// `map(maxTasks:on:_:)` preserves the order and requests no more than downstream does; `flatMapLatest(on:_:)` runs
  /// one task at a time.
  ///
  /// The stream finishes when upstream and all tasks have finished, and fails as soon as upstream fails or a closure
  /// throws. The remaining tasks are then cancelled, as they are when the stream is cancelled. The result or error of a
  /// cancelled task is dropped.
  ///
  /// A closure that cannot throw fits any failure type of upstream. A closure that throws `any Error` fits an upstream
  /// that cannot fail or fails with `any Error`; a closure with a typed error fits an upstream with that failure type:
  /// `{ value async throws(LoadError) in … }`.
  ///
  /// The closure runs on the first of these that exists: the actor in whose context it is written, the scheduler's task
  /// executor, the timeline (a test's virtual time) that the sending thread is advancing, the global concurrent
  /// executor. A result is delivered where the closure ended. Values that are not `Sendable` are transferred to the
  /// tasks: upstream and its other subscribers must no longer use them. A value costs a task and about fifteen objects.
  ///
  /// - Parameters:
  ///   - maxTasks: The maximum number of concurrent tasks; `.max` for no limit.
  ///   - scheduler: The scheduler on which the tasks run, if its `taskExecutor` is not `nil`. A test scheduler runs
  ///     them on its timeline.
  ///   - transform: An asynchronous closure that transforms a value into a result. A result that is not `Sendable` must
  ///     not be shared with other code.
  /// - Returns: A publisher of the results, in the order in which they arrive.
  /// - Precondition: `maxTasks` is positive.
  /// - Complexity: Amortized O(1) for each value.
  public __consuming func flatMap<T>(
    maxTasks: Int, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Failure) -> sending T
  ) -> Publishers.FlatMap<Deferred<Future<T, Failure>>, Self> {
    require(maxTasks > 0, or: "flatMap(maxTasks:) requires a maximum of at least 1, got \(maxTasks).")
    return flatMap(maxPublishers: maxTasks == .max ? .unlimited : .max(maxTasks)) {
      deferredTask("flatMap(maxTasks:)", on: scheduler, transform, with: $0)
    }
  }
}

extension Publisher where Failure == Never {
  /// Runs an asynchronous closure that can throw for each value, and publishes the results as they arrive, if upstream
  /// cannot fail.
  ///
  /// Otherwise it is the same as the overload whose closure throws upstream's failure type.
  ///
  /// - Parameters:
  ///   - maxTasks: The maximum number of concurrent tasks; `.max` for no limit.
  ///   - scheduler: The scheduler on which the tasks run, if its `taskExecutor` is not `nil`. A test scheduler runs
  ///     them on its timeline.
  ///   - transform: An asynchronous closure that transforms a value into a result. A result that is not `Sendable` must
  ///     not be shared with other code.
  /// - Returns: A publisher of the results, in the order in which they arrive.
  /// - Precondition: `maxTasks` is positive.
  /// - Complexity: Amortized O(1) for each value.
  @_disfavoredOverload
  public __consuming func flatMap<T, Problem>(
    maxTasks: Int, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Problem) -> sending T
  ) -> Publishers.FlatMap<Deferred<Future<T, Problem>>, Publishers.SetFailureType<Self, Problem>> {
    setFailureType(to: Problem.self).flatMap(maxTasks: maxTasks, on: scheduler, transform)
  }
}

/// Returns a publisher that, for each subscriber, starts a task that calls a closure with a value of a stream. The task is
/// named after the operator.
func deferredTask<Input, Output, Failure>(
  _ operatorName: String, on scheduler: (any Scheduler)?,
  _ operation: @escaping @isolated(any) @Sendable (Input) async throws(Failure) -> sending Output, with input: Input
) -> Deferred<Future<Output, Failure>> {
  Deferred(createPublisher: {
    Future(FutureWork(operation, with: input), on: scheduler?.taskExecutor, for: operatorName)
  })
}
