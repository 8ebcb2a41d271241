/// A publisher that is made anew for every subscriber.
///
///     Deferred { Just(Date()) }
///     Deferred { try await download(url) }
///
/// ![Marble diagram of Deferred](diagram-deferred)
@frozen
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  /// The kind of values this publisher sends.
  public typealias Output = DeferredPublisher.Output

  /// The kind of errors this publisher may fail with.
  public typealias Failure = DeferredPublisher.Failure

  /// What makes the publisher.
  public let createPublisher: () -> DeferredPublisher

  /// Makes a publisher that calls the closure for every subscriber.
  @inlinable
  public init(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    createPublisher: @escaping () -> DeferredPublisher
  ) {
    self.createPublisher = isolation.checking(createPublisher, fileID, filePath, line, column, "Deferred")
  }

  /// Attaches a subscriber.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    createPublisher().subscribe(subscriber)
  }
}

extension Deferred {
  /// Makes a publisher that starts a task for every subscriber, and sends what an asynchronous closure returns or throws.
  ///
  /// ```swift
  /// let page = Deferred { try await download(url) }.retry(2)
  /// ```
  ///
  /// The task starts when somebody subscribes, before anything has been asked for; its value waits until then, a failure does
  /// not. It is cancelled with the subscription, and what it returns or throws then is dropped.
  ///
  /// The closure runs on the actor where it is written, else on the executor of the scheduler, else on the timeline that the
  /// subscribing thread is moving on, else on the threads of the process; the value is sent where it ended. Costs a task and
  /// some objects for each subscriber, about fifteen.
  ///
  /// - Parameters:
  ///   - scheduler: Where the task runs, if its `taskExecutor` is not nil. A test scheduler runs it on its timeline.
  ///   - priority: The priority of the task.
  ///   - operation: What makes the result. One that is not `Sendable` must be the closure's own to give away.
  @_disfavoredOverload
  public init<Success, Problem>(
    on scheduler: (any Scheduler)? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext operation: @escaping @isolated(any) @Sendable () async throws(Problem) -> sending Success
  ) where DeferredPublisher == Future<Success, Problem> {
    self.init(createPublisher: { Future(on: scheduler, priority: priority, operation: operation) })
  }

  /// Makes a publisher that starts a task for every subscriber, on an executor.
  ///
  /// All else is as with a scheduler.
  public init<Success, Problem>(
    on executor: any TaskExecutor, priority: TaskPriority? = nil,
    @_inheritActorContext operation: @escaping @isolated(any) @Sendable () async throws(Problem) -> sending Success
  ) where DeferredPublisher == Future<Success, Problem> {
    self.init(createPublisher: { Future(on: executor, priority: priority, operation: operation) })
  }
}
