public import Streams

extension Publisher {
  /// Transforms each value into a publisher and publishes the newest publisher's values.
  ///
  ///     $query.flatMapLatest { search($0) }.sink { show($0) }
  ///
  /// It combines `map(_:)` and `switchToLatest()`. Demand, completion and cancellation work as they do for these operators.
  ///
  /// - Parameter transform: A closure that transforms a value into a publisher.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func flatMapLatest<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> Publishers.SwitchToLatest<P, Publishers.Map<Self, P>> where P.Failure == Failure {
    Publishers.SwitchToLatest(map { transform($0) }, as: OperatorName("flatMapLatest"))
  }

  /// Runs an asynchronous closure for each value and publishes the result for the newest value.
  ///
  /// ```swift
  /// let results = $query.debounce(for: 0.3, scheduler: DispatchQueue.main).flatMapLatest { await search($0) }
  /// ```
  ///
  /// ![The source publishes a, b and c at 100, 600 and 800 ms and finishes at 1 s; the result publishes a1 and c1 at 400 ms and 1.1 s and finishes.](diagram-flatMapLatest)
  ///
  /// Each value starts a task, and cancels the previous value's task first. The result of a cancelled task is dropped even if
  /// the task ignores the cancellation. Such a task may still run alongside the new one. The operator requests unlimited demand
  /// from upstream. A result waits for demand. If a newer value arrives in the meantime, the waiting result is dropped.
  ///
  /// The stream finishes when upstream and the last task have finished. It fails as soon as upstream fails or the newest closure
  /// throws. A failure cancels the running task, and so does cancelling the stream.
  ///
  /// For the closure's error type and executor, values that aren't `Sendable`, and the cost, see `flatMap(maxTasks:on:_:)`.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler whose `taskExecutor`, if any, runs the tasks. A test scheduler has one.
  ///   - transform: An asynchronous closure that transforms a value into a result. A result that isn't `Sendable` must
  ///     not be shared with other code.
  public __consuming func flatMapLatest<T>(
    on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Failure) -> sending T
  ) -> Publishers.SwitchToLatest<Deferred<Future<T, Failure>>, Publishers.Map<Self, Deferred<Future<T, Failure>>>> {
    // The operator that cancels the previous task must also start the next one. `map` doesn't start any.
    Publishers.SwitchToLatest(
      map { deferredTask("flatMapLatest", on: scheduler, transform, with: $0) }, as: OperatorName("flatMapLatest"))
  }
}

extension Publisher where Failure == Never {
  /// Runs a throwing asynchronous closure for each value and publishes the result for the newest value, like
  /// ``flatMapLatest(on:_:)-6vx0p``, where upstream can't fail.
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
