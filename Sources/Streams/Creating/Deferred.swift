/// A publisher that calls a closure for each subscriber and attaches the subscriber to the publisher that the closure
/// returns.
///
///     Deferred { Just(Date()) }
///     Deferred { try await download(url) }
///
/// ![subscriber 1 receives 1 and finishes; subscriber 2, subscribed at 400 ms, receives 2 and finishes.](diagram-deferred)
///
/// Work that the closure starts is repeated for each subscriber; `share()` or `share(replay: 1)` behind it starts it once for
/// all. Demand, values, completion and cancellation are those of the publisher that the closure returns. Given an
/// asynchronous closure, it starts a task for each subscriber.
@frozen
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  public typealias Output = DeferredPublisher.Output
  public typealias Failure = DeferredPublisher.Failure

  /// A closure that creates the publisher for a subscriber.
  public let createPublisher: () -> DeferredPublisher

  /// Creates a publisher that calls a closure for each subscriber.
  ///
  /// - Parameter createPublisher: A closure that creates the publisher to which a subscriber is attached.
  @inlinable
  public init(createPublisher: @escaping () -> DeferredPublisher) {
    self.createPublisher = createPublisher
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    createPublisher().subscribe(subscriber)
  }
}

extension Deferred {
  /// Creates a publisher that starts a task for each subscriber and publishes what an asynchronous closure returns or
  /// throws.
  ///
  /// ```swift
  /// let page = Deferred { try await download(url) }.retry(2)
  /// ```
  ///
  /// The task starts on subscription, before any demand. Its value waits for demand; a failure does not. Cancelling the
  /// subscription cancels the task, and what the task returns or throws afterwards is dropped.
  ///
  /// The closure runs on the first of these that exists: the actor in whose context it is written, the scheduler's task
  /// executor, the timeline (a test's virtual time) that the subscribing thread is advancing, the global concurrent
  /// executor. The value is delivered where the closure ended. A subscriber costs a task and about fifteen objects.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler on which the task runs, if its `taskExecutor` is not `nil`. A test scheduler runs the
  ///     task on its timeline.
  ///   - priority: The priority of the task.
  ///   - operation: An asynchronous closure that produces the result. A result that is not `Sendable` must not be
  ///     shared with other code.
  @_disfavoredOverload
  public init<Success, Problem>(
    on scheduler: (any Scheduler)? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext operation: @escaping @isolated(any) @Sendable () async throws(Problem) -> sending Success
  ) where DeferredPublisher == Future<Success, Problem> {
    self.init(createPublisher: { Future(on: scheduler, priority: priority, operation: operation) })
  }

  /// Creates a publisher that starts a task for each subscriber on an executor.
  ///
  /// Apart from the executor, it behaves as with a scheduler.
  ///
  /// - Parameters:
  ///   - executor: The executor that the task prefers.
  ///   - priority: The priority of the task.
  ///   - operation: An asynchronous closure that produces the result. A result that is not `Sendable` must not be
  ///     shared with other code.
  @_disfavoredOverload
  public init<Success, Problem>(
    on executor: any TaskExecutor, priority: TaskPriority? = nil,
    @_inheritActorContext operation: @escaping @isolated(any) @Sendable () async throws(Problem) -> sending Success
  ) where DeferredPublisher == Future<Success, Problem> {
    self.init(createPublisher: { Future(on: executor, priority: priority, operation: operation) })
  }
}
