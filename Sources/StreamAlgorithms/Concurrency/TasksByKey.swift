public import Streams

extension Publisher {
  /// Runs an asynchronous closure for each value, one after the other for values with the same key, and publishes the results
  /// in the order of the values.
  ///
  /// ```swift
  /// orders.map(maxTasks: 16, by: \.customer) { order in await book(order) }.sink { socket.acknowledge($0) }
  /// ```
  ///
  /// ![The source publishes a, A and b at 100, 300 and 500 ms and finishes at 700 ms; the result publishes a1, A1 and b1 at 600, 800 and 800 ms and finishes.](diagram-map-maxTasks-by)
  ///
  /// The operator determines a value's key when the value arrives. The value's task starts when the task of the previous value
  /// with the same key has ended. So tasks of one key never overlap and keep the order of the values, while tasks of other keys
  /// run concurrently. A result waits for the results of all earlier values, so an acknowledgement never overtakes another. To
  /// publish the results as they arrive, use `flatMap(maxTasks:by:on:_:)`.
  ///
  /// At most `maxTasks` values are in progress at a time: their tasks are running or waiting for their turn, or their results
  /// are waiting. Many values with one key can fill this limit, so values with other keys wait as well. The operator removes
  /// unused keys when it stores more than 16 keys, and more than twice as many as after the last removal. Requests to upstream,
  /// failures and cancellation work as in `map(maxTasks:on:_:)`. A task whose turn hasn't come when the stream ends never
  /// starts. A subject doesn't keep values that weren't requested, so put `buffer(size:prefetch:whenFull:)` between it and this
  /// operator.
  ///
  /// For the closure's error type and executor, and for values that aren't `Sendable`, see `flatMap(maxTasks:on:_:)`.
  ///
  /// - Parameters:
  ///   - maxTasks: The maximum number of values in progress, and therefore of concurrent tasks. Use `.max` for no limit.
  ///   - key: A closure that returns a value's key.
  ///   - scheduler: The scheduler whose `taskExecutor`, if any, runs the tasks. A test scheduler has one.
  ///   - transform: An asynchronous closure that transforms a value into a result. A result that isn't `Sendable` must not be
  ///     shared with other code.
  /// - Precondition: `maxTasks` is positive.
  public __consuming func map<Key: Hashable, T>(
    maxTasks: Int, by key: @escaping (Output) -> Key, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Failure) -> sending T
  ) -> TasksByKeyPublisher<Self, Key, T> {
    TasksByKeyPublisher(
      upstream: self, maxTasks: maxTasks, isOrdered: true, key: key, scheduler: scheduler, transform: transform)
  }

  /// Runs an asynchronous closure for each value and publishes the results as they arrive, like
  /// ``map(maxTasks:by:on:_:)->TasksByKeyPublisher<Self,Key,T>``.
  ///
  /// ```swift
  /// readings.flatMap(maxTasks: 16, by: \.sensor) { reading in try await store(reading) }
  /// ```
  ///
  /// ![The source publishes a, A and b at 100, 300 and 500 ms and finishes at 700 ms; the result publishes a1, b1 and A1 at 600, 700 and 800 ms and finishes.](diagram-flatMap-maxTasks-by)
  ///
  /// Results for the same key keep their order. Requests to upstream, failures and cancellation work as in
  /// `flatMap(maxTasks:on:_:)`. `maxTasks` also limits tasks that wait for their turn.
  public __consuming func flatMap<Key: Hashable, T>(
    maxTasks: Int, by key: @escaping (Output) -> Key, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Failure) -> sending T
  ) -> TasksByKeyPublisher<Self, Key, T> {
    TasksByKeyPublisher(
      upstream: self, maxTasks: maxTasks, isOrdered: false, key: key, scheduler: scheduler, transform: transform)
  }
}

extension Publisher where Failure == Never {
  /// Runs a throwing asynchronous closure for each value and publishes the results in the order of the values, like
  /// ``map(maxTasks:by:on:_:)->TasksByKeyPublisher<Self,Key,T>``, where upstream can't fail.
  @_disfavoredOverload
  public __consuming func map<Key: Hashable, T, Problem>(
    maxTasks: Int, by key: @escaping (Output) -> Key, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Problem) -> sending T
  ) -> TasksByKeyPublisher<Publishers.SetFailureType<Self, Problem>, Key, T> {
    setFailureType(to: Problem.self).map(maxTasks: maxTasks, by: key, on: scheduler, transform)
  }

  /// Runs a throwing asynchronous closure for each value and publishes the results as they arrive, like
  /// ``flatMap(maxTasks:by:on:_:)->TasksByKeyPublisher<Self,Key,T>``, where upstream can't fail.
  @_disfavoredOverload
  public __consuming func flatMap<Key: Hashable, T, Problem>(
    maxTasks: Int, by key: @escaping (Output) -> Key, on scheduler: (any Scheduler)? = nil,
    @_inheritActorContext _ transform:
      @escaping @isolated(any) @Sendable (Output) async throws(Problem) -> sending T
  ) -> TasksByKeyPublisher<Publishers.SetFailureType<Self, Problem>, Key, T> {
    setFailureType(to: Problem.self).flatMap(maxTasks: maxTasks, by: key, on: scheduler, transform)
  }
}

/// The publisher that `map(maxTasks:by:on:_:)` and `flatMap(maxTasks:by:on:_:)` return.
public struct TasksByKeyPublisher<Upstream: Publisher, Key: Hashable, Output>: Publisher {
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let maxTasks: Int
  @usableFromInline let isOrdered: Bool
  @usableFromInline let key: (Upstream.Output) -> Key
  @usableFromInline let scheduler: (any Scheduler)?
  @usableFromInline let transform:
    @isolated(any) @Sendable (Upstream.Output) async throws(Upstream.Failure) -> sending Output

  init(
    upstream: Upstream, maxTasks: Int, isOrdered: Bool, key: @escaping (Upstream.Output) -> Key,
    scheduler: (any Scheduler)? = nil,
    transform: @escaping @isolated(any) @Sendable (Upstream.Output) async throws(Upstream.Failure) -> sending Output
  ) {
    require(
      maxTasks > 0,
      or: "\(isOrdered ? "map" : "flatMap")(maxTasks:by:) requires a maximum of at least 1, got \(maxTasks).")
    self.upstream = upstream
    self.maxTasks = maxTasks
    self.isOrdered = isOrdered
    self.key = key
    self.scheduler = scheduler
    self.transform = transform
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let turns = KeyedTurns<Key>()
    let (key, executor, transform) = (key, scheduler?.taskExecutor, transform)
    let operatorName = isOrdered ? "map(maxTasks:by:)" : "flatMap(maxTasks:by:)"
    let task = { (value: Upstream.Output) in
      TaskInTurn(turns: turns, key: key(value), executor: executor, operatorName: operatorName) { end in
        FutureWork(transform, with: value, whenEnded: end)
      }
    }
    if isOrdered {
      upstream.subscribe(subscriber, mappingInOrder: task, maxCount: maxTasks)
    } else {
      upstream.flatMap(maxPublishers: maxTasks == .max ? .unlimited : .max(maxTasks), task)
        .receive(subscriber: subscriber)
    }
  }
}

/// A publisher that takes a turn when it's subscribed to and starts a task when its turn comes.
private struct TaskInTurn<Key: Hashable, Output, Failure: Error>: Publisher {
  let turns: KeyedTurns<Key>
  let key: Key
  let executor: (any TaskExecutor)?
  let operatorName: String
  /// Creates the work, which calls a closure at its end.
  let makeWork: (@escaping @Sendable () -> Void) -> FutureWork<Output, Failure>

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let turn = turns.take(key)
    let work = makeWork(turn.end)
    // The subscription, which downstream can cancel while the task waits for its turn.
    let link = AnnotatedLink(whenCancelled: turn.abandon)
    subscriber.receive(subscription: link)
    turn.begin(
      ContextSnapshot.following {
        Future(work, on: executor, for: operatorName).subscribe(
          TaskResultSubscriber(downstream: subscriber, link: link))
        // If the task ended before it was subscribed to, subscribing delivered its result, before the next task's result.
        turn.end()
      })
  }
}

private struct TaskResultSubscriber<Downstream: Subscriber>: Subscriber {
  let downstream: Downstream
  let link: UpstreamLink

  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  func receive(subscription: any Subscription) { _ = link.connect(subscription) }

  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    link.isForwarding ? downstream.receive(input) : .none
  }

  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if link.finish() { downstream.receive(completion: completion) }
  }
}

extension TaskResultSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole {
    .links("tasks in turn", to: Downstream.self)
  }
}
