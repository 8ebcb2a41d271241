public import Streams

extension Publisher {
  /// Runs an asynchronous closure for each value, a limited number at a time, and publishes the results as they arrive.
  ///
  /// ```swift
  /// let images = urls.flatMap(maxTasks: 4) { try await download($0) }
  /// ```
  ///
  /// ![The source publishes a, b and c at 100, 300 and 500 ms and finishes at 700 ms; the result publishes b1, a1 and c1 at 500, 600 and 700 ms and finishes.](diagram-flatMap-maxTasks)
  ///
  /// Each value starts a task. Like `flatMap` with publishers, the operator requests `maxTasks` values from upstream regardless
  /// of downstream's demand, and another one when a result has been delivered. A subject doesn't keep values that weren't
  /// requested, so put `buffer(size:prefetch:whenFull:)` between it and this operator. Results wait for demand. A task counts
  /// until its result has been delivered, so running tasks and waiting results together never exceed `maxTasks`. To preserve
  /// the order and request only as many values as downstream does, use `map(maxTasks:on:_:)`. To cancel the previous task when
  /// a value arrives, use `flatMapLatest(on:_:)`.
  ///
  /// The stream finishes when upstream and all tasks have finished. It fails as soon as upstream fails or a closure throws. A
  /// failure cancels the remaining tasks, and so does cancelling the stream. The result or error of a cancelled task is
  /// dropped.
  ///
  /// A closure that can't throw works with any upstream failure type. A closure that throws `any Error` or a typed error, as in
  /// `{ value async throws(LoadError) in … }`, needs an upstream that can't fail or fails with the same error type.
  ///
  /// The closure runs on the first of these that exists: the actor in whose context you write it, the scheduler's task executor,
  /// the timeline (a test's virtual time) that the sending thread is advancing, or the global concurrent executor. A result is
  /// delivered on the actor or executor on which the closure ended, unless it has to wait. Values that aren't `Sendable` are
  /// transferred to the tasks, so upstream and its other subscribers must no longer use them. Each value costs a task and about
  /// fifteen objects.
  ///
  /// - Parameters:
  ///   - maxTasks: The maximum number of concurrent tasks. Use `.max` for no limit.
  ///   - scheduler: The scheduler whose `taskExecutor`, if any, runs the tasks. A test scheduler has one.
  ///   - transform: An asynchronous closure that transforms a value into a result. A result that isn't `Sendable` must
  ///     not be shared with other code.
  /// - Precondition: `maxTasks` is positive.
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
  /// Runs a throwing asynchronous closure for each value and publishes the results as they arrive, like
  /// ``flatMap(maxTasks:on:_:)-4i2b``, where upstream can't fail.
  @_disfavoredOverload
  public __consuming func flatMap<T, Problem>(
    maxTasks: Int, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Problem) -> sending T
  ) -> Publishers.FlatMap<Deferred<Future<T, Problem>>, Publishers.SetFailureType<Self, Problem>> {
    setFailureType(to: Problem.self).flatMap(maxTasks: maxTasks, on: scheduler, transform)
  }
}

/// Returns a publisher that, for each subscriber, starts a task that calls a closure with a stream's value. The task is named
/// after the operator.
func deferredTask<Input, Output, Failure>(
  _ operatorName: String, on scheduler: (any Scheduler)?,
  _ operation: @escaping @isolated(any) @Sendable (Input) async throws(Failure) -> sending Output, with input: Input
) -> Deferred<Future<Output, Failure>> {
  Deferred(createPublisher: {
    Future(FutureWork(operation, with: input), on: scheduler?.taskExecutor, for: operatorName)
  })
}
