extension Publisher {
  /// Runs an asynchronous closure with every value, and sends the results as they come.
  ///
  /// ```swift
  /// images = urls.flatMap(maxTasks: 4) { try await download($0) }
  /// ```
  ///
  /// ![Marble diagram of flatMap with tasks](diagram-flatMap-maxTasks)
  ///
  /// Each value starts a task; at most `maxTasks` run at once, `.max` for as many as there are values. As `flatMap` of
  /// publishers does, it asks upstream for so many values whatever downstream has asked for, and for another one when a task has
  /// ended. Results wait until they are asked for; a task counts until its result has been sent, so tasks that run and results
  /// that wait are never more than `maxTasks` together. `map(maxTasks:on:_:)` keeps the order, and asks for no more than
  /// downstream does; `flatMapLatest(on:_:)` has one task at a time.
  ///
  /// It finishes when upstream and all tasks have, and fails as soon as upstream does or a closure throws; the other tasks are
  /// cancelled then, as all are when the stream is cancelled. What a cancelled task returns or throws is dropped.
  ///
  /// A closure that cannot throw goes with every failure of upstream. One that throws `any Error` goes with an upstream that
  /// cannot fail, or fails with `any Error`; one that says what it throws with an upstream that fails with that:
  /// `{ value async throws(LoadError) in … }`.
  ///
  /// The closure runs on the actor where it is written, else on the executor of the scheduler, else on the timeline that the
  /// sending thread is moving on, else on the threads of the process; a result is sent where it ended. Values that are not
  /// `Sendable` are handed to the tasks: upstream and its other subscribers must leave them alone. Costs a task and some
  /// objects for each value, about fifteen.
  ///
  /// - Parameters:
  ///   - maxTasks: How many tasks run at once.
  ///   - scheduler: Where the tasks run, if its `taskExecutor` is not nil. A test scheduler runs them on its timeline.
  ///   - transform: What makes a result of a value. One that is not `Sendable` must be the closure's own to give away.
  /// - Precondition: `maxTasks` is positive.
  public __consuming func flatMap<T>(
    maxTasks: Int, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Failure) -> sending T
  ) -> Publishers.FlatMap<Deferred<Future<T, Failure>>, Self> {
    require(maxTasks > 0, or: "flatMap(maxTasks: \(maxTasks)): without a task, nothing can come. Allow at least one.")
    return flatMap(maxPublishers: maxTasks == .max ? .unlimited : .max(maxTasks)) {
      deferredTask(on: scheduler, transform, with: $0)
    }
  }
}

extension Publisher where Failure == Never {
  /// Runs an asynchronous closure that may throw with every value, and sends the results as they come.
  ///
  /// Of all else, see the method for a closure that throws what upstream fails with.
  @_disfavoredOverload
  public __consuming func flatMap<T, Problem>(
    maxTasks: Int, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Problem) -> sending T
  ) -> Publishers.FlatMap<Deferred<Future<T, Problem>>, Publishers.SetFailureType<Self, Problem>> {
    setFailureType(to: Problem.self).flatMap(maxTasks: maxTasks, on: scheduler, transform)
  }
}

/// A task for every subscriber, which calls a closure with a value of a stream.
func deferredTask<Input, Output, Failure>(
  on scheduler: (any Scheduler)?,
  _ operation: @escaping @isolated(any) @Sendable (Input) async throws(Failure) -> sending Output, with input: Input
) -> Deferred<Future<Output, Failure>> {
  Deferred(createPublisher: { Future(FutureWork(operation, with: input), on: scheduler?.taskExecutor) })
}
