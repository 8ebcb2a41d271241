public import Streams

extension Future {
  /// Creates a future and starts a task that produces its result with an asynchronous closure.
  ///
  /// ```swift
  /// let page = Future { try await download(url) }   // Future<Page, any Error>
  /// let number = Future { () async throws(ParseError) in try await parse(text) }   // Future<Int, ParseError>
  /// ```
  ///
  /// The task starts immediately and only once, with or without subscribers. To start a task for each subscriber, use
  /// ``/Streams/Deferred``. The task is cancelled when nothing can receive the result anymore: the future has been released,
  /// all its subscribers have cancelled, and no task is awaiting `value`. The result or error of a cancelled task is dropped.
  ///
  /// The closure runs on the first of these that exists: the actor that your surrounding code is isolated to, the scheduler's
  /// task executor, the timeline (a test's virtual time) that the calling thread is advancing, or the global concurrent executor.
  /// Subscribers that are already waiting receive the result on the actor or executor on which the closure ended. The future
  /// costs a task and about ten objects.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler whose `taskExecutor`, if any, runs the task. A test scheduler has one.
  ///   - priority: The priority of the task.
  ///   - operation: An asynchronous closure that produces the result. A result that isn't `Sendable` must not be
  ///     shared with other code.
  @_disfavoredOverload
  public convenience init(
    on scheduler: (any Scheduler)? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext operation: sending @escaping @isolated(any) () async throws(Failure) -> sending Output
  ) {
    self.init()
    fulfillment.noteMade()
    fulfillment.start(FutureWork(operation), on: scheduler?.taskExecutor, priority)
  }

  /// Creates a future and starts a task on an `executor` that produces the future's result, like
  /// ``init(on:priority:operation:)``.
  @_disfavoredOverload
  public convenience init(
    on executor: any TaskExecutor, priority: TaskPriority? = nil,
    @_inheritActorContext operation: sending @escaping @isolated(any) () async throws(Failure) -> sending Output
  ) {
    self.init()
    fulfillment.noteMade()
    fulfillment.start(FutureWork(operation), on: executor, priority)
  }

  /// Creates a future and starts a task that runs the given work. The task is named after the operator.
  convenience init(_ work: FutureWork<Output, Failure>, on executor: (any TaskExecutor)?, for operatorName: String) {
    self.init()
    fulfillment.start(work, on: executor, nil, for: operatorName)
  }
}

extension Fulfillment {
  /// Starts a task that produces the result.
  ///
  /// The task doesn't retain this object. The future and its subscriptions retain it, so releasing them all cancels the task.
  func start(
    _ work: FutureWork<Output, Failure>, on executor: (any TaskExecutor)?, _ priority: TaskPriority?,
    for operatorName: String? = nil
  ) {
    let task = FutureTask(
      NamedTask.start(operatorName ?? "Future", on: executor, priority, operation: work.operation(for: self)))
    withLock { state in
      if state.result == nil { (state.task, state.isOperatorsTask) = (task, operatorName != nil) }
    }
  }
}

/// A future's task, which is cancelled when this object is deinitialized.
final class FutureTask {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  deinit { task.cancel() }
}

/// The work that a future's task runs.
struct FutureWork<Output, Failure: Error>: @unchecked Sendable {
  // Unchecked: the closure was transferred here or is `@Sendable`, and only one task calls it, once.
  private let isolation: (any Actor)?
  fileprivate let run: nonisolated(nonsending) () async throws(Failure) -> sending Output
  /// Called when the result has been delivered, or dropped because nothing is waiting for it anymore.
  fileprivate let whenEnded: (@Sendable () -> Void)?

  init(_ operation: @escaping @isolated(any) () async throws(Failure) -> sending Output) {
    run = { () async throws(Failure) in try await operation() }
    isolation = operation.isolation
    whenEnded = nil
  }

  /// Creates work that handles a value from a stream. The value doesn't need to be `Sendable`.
  init<Input>(
    _ operation: @escaping @isolated(any) @Sendable (Input) async throws(Failure) -> sending Output, with input: Input,
    whenEnded: (@Sendable () -> Void)? = nil
  ) {
    // Unchecked: the value is transferred to the task. As with every operator that moves values to other threads, you must
    // ensure that upstream and other receivers of the value no longer use it.
    nonisolated(unsafe) let input = input
    run = { () async throws(Failure) in try await operation(input) }
    isolation = operation.isolation
    self.whenEnded = whenEnded
  }

  /// Returns the work as a task's operation, which belongs to the closure's actor from the start. So tasks that an actor starts
  /// begin in the order in which the actor starts them, and the result is delivered where the closure ended.
  func operation(for fulfillment: Fulfillment<Output, Failure>) -> @isolated(any) () async -> Void {
    // Only a function isolated to the actor can create a closure isolated to it. Creating the closure doesn't touch the actor's
    // state, so any thread may call the function. The standard library implements `assumeIsolated` with the same conversion.
    typealias Isolated = (isolated (any Actor)?, FutureWork, Fulfillment<Output, Failure>) ->
      @isolated(any) () async -> Void
    typealias Anywhere = ((any Actor)?, FutureWork, Fulfillment<Output, Failure>) -> @isolated(any) () async -> Void
    let make: Isolated = isolatedOperation
    return unsafeBitCast(make, to: Anywhere.self)(isolation, self, fulfillment)
  }
}

/// Returns an operation isolated to an actor. Its namesake in `ActorHop.swift` says why it isn't a method.
private func isolatedOperation<Output, Failure: Error>(
  on actor: isolated (any Actor)?, _ work: FutureWork<Output, Failure>, for fulfillment: Fulfillment<Output, Failure>
) -> @isolated(any) () async -> Void {
  { [weak fulfillment] in
    // A closure belongs to the actor of its enclosing function only if it captures that actor.
    _ = actor
    let result: Result<Output, Failure>
    do throws(Failure) { result = .success(try await work.run()) } catch { result = .failure(error) }
    fulfillment?.fulfill(result)
    work.whenEnded?()
  }
}
