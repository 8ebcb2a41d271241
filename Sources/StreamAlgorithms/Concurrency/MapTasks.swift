public import Streams

extension Publisher {
  /// Runs an asynchronous closure for each value and publishes the results in the order of the values.
  ///
  /// ```swift
  /// let pages = (1...100).publisher.map(maxTasks: 4) { try await load(page: $0) }
  /// ```
  ///
  /// ![The source publishes a, b and c at 100, 300 and 500 ms and finishes at 700 ms; the result publishes a1, b1 and c1 at 600, 600 and 800 ms and finishes.](diagram-map-maxTasks)
  ///
  /// Each value starts a task. At most `maxTasks` values are in progress at a time: their tasks are running, or their results
  /// wait for earlier ones or for demand. So a slow task holds up the results of later ones. The operator requests `maxTasks`
  /// values from upstream, and another for each result that it has delivered. A subject doesn't keep values that weren't
  /// requested, so put `buffer(size:prefetch:whenFull:)` between it and this operator.
  ///
  /// A failure from a closure or from upstream also keeps its place in the order: the results of earlier values are delivered
  /// first. When a closure throws, upstream and the later tasks are cancelled immediately. The stream finishes when upstream
  /// and all tasks have finished. If you cancel the stream, all tasks are cancelled. The result or error of a cancelled task is
  /// dropped.
  ///
  /// For the closure's error type and executor, values that aren't `Sendable`, and the cost, see `flatMap(maxTasks:on:_:)`,
  /// which publishes the results as they arrive. A result that had to wait for the previous one is delivered where the previous
  /// value's closure ended.
  ///
  /// - Parameters:
  ///   - maxTasks: The maximum number of values in progress, and therefore of concurrent tasks. Use `.max` for no limit.
  ///   - scheduler: The scheduler whose `taskExecutor`, if any, runs the tasks. A test scheduler has one.
  ///   - transform: An asynchronous closure that transforms a value into a result. A result that isn't `Sendable` must
  ///     not be shared with other code.
  /// - Precondition: `maxTasks` is positive.
  public __consuming func map<T>(
    maxTasks: Int, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Failure) -> sending T
  ) -> MapTasksPublisher<Self, T> {
    MapTasksPublisher(upstream: self, maxTasks: maxTasks, scheduler: scheduler, transform: transform)
  }
}

extension Publisher where Failure == Never {
  /// Runs a throwing asynchronous closure for each value and publishes the results in the order of the values, like
  /// ``map(maxTasks:on:_:)->MapTasksPublisher<Self,T>``, where upstream can't fail.
  @_disfavoredOverload
  public __consuming func map<T, Problem>(
    maxTasks: Int, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Problem) -> sending T
  ) -> MapTasksPublisher<Publishers.SetFailureType<Self, Problem>, T> {
    setFailureType(to: Problem.self).map(maxTasks: maxTasks, on: scheduler, transform)
  }
}

/// The publisher that `map(maxTasks:on:_:)` returns.
public struct MapTasksPublisher<Upstream: Publisher, Output>: Publisher {
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let maxTasks: Int
  @usableFromInline let scheduler: (any Scheduler)?
  @usableFromInline let transform:
    @isolated(any) @Sendable (Upstream.Output) async throws(Upstream.Failure) -> sending Output

  init(
    upstream: Upstream, maxTasks: Int, scheduler: (any Scheduler)? = nil,
    transform: @escaping @isolated(any) @Sendable (Upstream.Output) async throws(Upstream.Failure) -> sending Output
  ) {
    require(maxTasks > 0, or: "map(maxTasks:) requires a maximum of at least 1, got \(maxTasks).")
    self.upstream = upstream
    self.maxTasks = maxTasks
    self.scheduler = scheduler
    self.transform = transform
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let (scheduler, transform) = (scheduler, transform)
    upstream.subscribe(
      subscriber, mappingInOrder: { deferredTask("map(maxTasks:)", on: scheduler, transform, with: $0) },
      maxCount: maxTasks)
  }
}

extension Publisher {
  /// Transforms each value into a publisher, and attaches a subscriber that receives these publishers' values in order.
  ///
  /// Each of these publishers must send one value or fail. At most `maxCount` publishers are in progress at a time.
  func subscribe<S: Subscriber, Inner: Publisher>(
    _ subscriber: S, mappingInOrder transform: @escaping (Output) -> Inner, maxCount: Int
  ) where S.Input == Inner.Output, S.Failure == Failure, Inner.Failure == Failure {
    OrderedEngine(SubscriberReceiver(subscriber), ElementLayout(Inner.Output.self), length: maxCount)
      .attach(outer: self, transform)
  }
}
