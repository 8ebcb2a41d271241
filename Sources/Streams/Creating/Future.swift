/// A publisher of one result that is produced once, and given to every subscriber.
///
/// The closure runs at once. The first call of its promise counts, from any thread; later ones do nothing. If the promise
/// is let go of without a call, the future stays pending: nothing is delivered.
///
///     let future = Future<Int, Never> { promise in promise(.success(1)) }
///     let page = Future { try await download(url) }
///
/// ![Marble diagram of Future](diagram-future)
///
/// A value waits until a subscriber asks for it; a failure does not. Subscribers are served in the order in which they
/// came, on the thread that fulfils the promise, or on that which asks later.
@_fixed_layout
public final class Future<Output, Failure: Error>: Publisher {
  /// What is called with the result; from any thread, so a completion handler may call it.
  ///
  /// A result that is not `Sendable` is handed over: the future's lock orders what was done to it before the call before
  /// what a subscriber does to it. That whoever calls the promise, and all subscribers but one, leave such a result alone
  /// afterwards is up to you; the compiler does not check it, as it does of what an asynchronous closure returns.
  public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

  @usableFromInline let fulfilment = Fulfilment<Output, Failure>()

  /// Makes a future and runs the closure that is to fulfil it.
  @inlinable
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
    let fulfilment = fulfilment
    attemptToFulfill { fulfilment.fulfil($0) }
  }

  /// Makes a future of what an asynchronous closure returns or throws, and starts a task that runs it.
  ///
  /// ```swift
  /// let page = Future { try await download(url) }   // Future<Page, any Error>
  /// let number = Future { () async throws(ParseError) in try await parse(text) }   // Future<Int, ParseError>
  /// ```
  ///
  /// The task starts at once, and only once, whether anybody subscribes or not; ``Deferred`` starts one for each subscriber.
  /// It is cancelled when nobody is left who could learn the result: when the future has been let go of, all its subscribers
  /// have cancelled, and no one awaits `value`. What a cancelled task returns or throws is dropped.
  ///
  /// The closure runs on the actor where it is written, else on the executor of the scheduler, else on the timeline that the
  /// caller is moving on, else on the threads of the process. Those who wait are served where it ended. Costs a task and
  /// some objects, about ten.
  ///
  /// - Parameters:
  ///   - scheduler: Where the task runs, if its `taskExecutor` is not nil. A test scheduler runs it on its timeline.
  ///   - priority: The priority of the task.
  ///   - operation: What makes the result. One that is not `Sendable` must be the closure's own to give away.
  public init(
    on scheduler: (any Scheduler)? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext operation: sending @escaping @isolated(any) () async throws(Failure) -> sending Output
  ) {
    fulfilment.start(FutureWork(operation), on: scheduler?.taskExecutor, priority)
  }

  /// Makes a future of what an asynchronous closure returns or throws, and starts a task that runs it on an executor.
  ///
  /// All else is as with a scheduler.
  public init(
    on executor: any TaskExecutor, priority: TaskPriority? = nil,
    @_inheritActorContext operation: sending @escaping @isolated(any) () async throws(Failure) -> sending Output
  ) {
    fulfilment.start(FutureWork(operation), on: executor, priority)
  }

  /// Makes a future of some work, and starts a task that runs it.
  init(_ work: FutureWork<Output, Failure>, on executor: (any TaskExecutor)?) {
    fulfilment.start(work, on: executor, nil)
  }

  /// Attaches a subscriber.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let source = FutureSource(fulfilment, subscriber)
    let shot = OneShot(isReady: false) { source.deliver($0) }
    fulfilment.add(shot)
    subscriber.receive(subscription: shot)
    fulfilment.announce(to: shot)
  }
}

// Unchecked: all state is behind the lock of `fulfilment`; the result is handed from the promise's thread to others.
extension Future: @unchecked Sendable where Output: Sendable {}

extension Future where Failure == Never {
  /// The result, as soon as there is one.
  ///
  /// A future that is never fulfilled never returns: there is no error with which it could say that the task was
  /// cancelled.
  public var value: Output {
    get async {
      await withUnsafeContinuation { continuation in
        fulfilment.whenFulfilled { result in
          guard case .success(let output) = result else { return }
          nonisolated(unsafe) let handedOver = output  // Handed over: the future is read-only from now on.
          continuation.resume(returning: handedOver)
        }
      }
    }
  }
}

extension Future {
  /// The result, as soon as there is one; throws the failure, or `CancellationError` when the task is cancelled before.
  public var value: Output {
    get async throws {
      let waiting = FutureWaiter<Output, Failure>()
      return try await withTaskCancellationHandler {
        try await withUnsafeThrowingContinuation { continuation in
          waiting.begin(continuation)
          fulfilment.whenFulfilled { waiting.end($0.mapError { $0 as any Error }) }
        }
      } onCancel: {
        waiting.end(.failure(CancellationError()))
      }
    }
  }
}

/// One task that waits for a future; whoever ends it first decides how.
private final class FutureWaiter<Output, Failure: Error>: Locked<FutureWaiterState<Output>>, @unchecked Sendable {
  // Unchecked: all state is behind the lock.
  init() { super.init(FutureWaiterState()) }

  func begin(_ continuation: UnsafeContinuation<Output, any Error>) {
    resume(
      withLock { state in
        guard let result = state.result else {
          state.continuation = continuation
          return nil
        }
        return (continuation, result)
      })
  }

  func end(_ result: Result<Output, any Error>) {
    resume(
      withLock { state in
        guard state.result == nil else { return nil }
        state.result = result
        return state.continuation.take().map { ($0, result) }
      })
  }

  private func resume(_ pair: (UnsafeContinuation<Output, any Error>, Result<Output, any Error>)?) {
    guard let (continuation, result) = pair else { return }
    nonisolated(unsafe) let handedOver = result  // Nobody else has it.
    continuation.resume(with: handedOver)
  }
}

private struct FutureWaiterState<Output> {
  var continuation: UnsafeContinuation<Output, any Error>?
  var result: Result<Output, any Error>?
}

/// The result of a future, and who waits for it.
@usableFromInline @_fixed_layout
final class Fulfilment<Output, Failure: Error>: Locked<FulfilmentState<Output, Failure>>, @unchecked Sendable {
  // Unchecked: all state is behind the lock; a result that is not Sendable is handed over by who fulfils, see `Promise`.
  @inlinable
  init() { super.init(FulfilmentState()) }

  @usableFromInline
  var result: Result<Output, Failure>? { withLock { $0.result } }

  @usableFromInline
  func fulfil(_ result: Result<Output, Failure>) {
    let (waiting, callbacks, task) = withLock {
      state -> ([Int: OneShot], [(Result<Output, Failure>) -> Void], FutureTask?) in
      guard state.result == nil else { return ([:], [], nil) }
      state.result = result
      defer {
        state.waiting = [:]
        state.callbacks = []
      }
      return (state.waiting, state.callbacks, state.task.take())
    }
    for (_, shot) in waiting.sorted(by: { $0.key < $1.key }) { announce(to: shot) }
    for callback in callbacks { callback(result) }
    // Not cancelled before: those who are served may ask whether their task is.
    withExtendedLifetime(task) {}
  }

  func whenFulfilled(_ callback: @escaping (Result<Output, Failure>) -> Void) {
    let result = withLock { state in
      if state.result == nil { state.callbacks.append(callback) }
      return state.result
    }
    if let result { callback(result) }
  }

  /// Adds a subscriber, unless the result is there.
  @usableFromInline
  func add(_ shot: OneShot) {
    let number: Int? = withLock { state in
      guard state.result == nil else { return nil }
      state.count += 1
      state.waiting[state.count] = shot
      return state.count
    }
    if let number { shot.onCancel(FutureMembership { [weak self] in self?.remove(number) }) }
  }

  /// Tells a subscriber that the result is there, if it is.
  @usableFromInline
  func announce(to shot: OneShot) {
    switch result {
    case nil: break
    case .success: shot.becomeReady()
    case .failure: shot.becomeReady(waitsForDemand: false)
    }
  }

  private func remove(_ number: Int) { _ = withLock { $0.waiting.removeValue(forKey: number) } }
}

@usableFromInline
struct FulfilmentState<Output, Failure: Error> {
  var result: Result<Output, Failure>?
  /// What makes the result, if it is a task.
  var task: FutureTask?
  var waiting: [Int: OneShot] = [:]
  var callbacks: [(Result<Output, Failure>) -> Void] = []
  var count = 0

  @usableFromInline
  init() {}
}

extension Fulfilment {
  /// Starts a task that makes the result.
  ///
  /// The task does not keep this; those do who can learn the result: the future, and what its subscribers have.
  func start(_ work: FutureWork<Output, Failure>, on executor: (any TaskExecutor)?, _ priority: TaskPriority?) {
    let task = FutureTask(
      Task(
        executorPreference: executor ?? Surroundings.taskExecutor, priority: priority,
        operation: work.operation(for: self)))
    withLock { state in
      if state.result == nil { state.task = task }
    }
  }
}

/// The task of a future; cancelled when this is let go of.
@usableFromInline
final class FutureTask {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  deinit { task.cancel() }
}

/// What the task of a future runs.
struct FutureWork<Output, Failure: Error>: @unchecked Sendable {
  // Unchecked: the closure was sent here, or may run anywhere; one task calls it, once.
  private let isolation: (any Actor)?
  private let run: nonisolated(nonsending) () async throws(Failure) -> sending Output

  init(_ operation: @escaping @isolated(any) () async throws(Failure) -> sending Output) {
    run = { () async throws(Failure) in try await operation() }
    isolation = operation.isolation
  }

  /// Work that is done with a value of a stream, which need not be `Sendable`.
  init<Input>(
    _ operation: @escaping @isolated(any) @Sendable (Input) async throws(Failure) -> sending Output, with input: Input
  ) {
    // Unchecked: handed to the task. That upstream and those who got the value from it as well leave it alone is up to the
    // user, as it is with all operators that bring values to other threads.
    nonisolated(unsafe) let input = input
    run = { () async throws(Failure) in try await operation(input) }
    isolation = operation.isolation
  }

  /// The work as the operation of a task that belongs to the actor of the closure from the start: so those that an actor starts
  /// begin in that order, and the result is sent where the closure ended.
  func operation(for fulfilment: Fulfilment<Output, Failure>) -> @isolated(any) () async -> Void {
    // Only a function that is isolated to the actor can make a closure that is. Making it touches nothing of the actor's, so
    // it may be called from anywhere; this is the conversion with which the standard library implements `assumeIsolated`.
    typealias Isolated = (isolated (any Actor)?, FutureWork, Fulfilment<Output, Failure>) ->
      @isolated(any) () async -> Void
    typealias Anywhere = ((any Actor)?, FutureWork, Fulfilment<Output, Failure>) -> @isolated(any) () async -> Void
    let make: Isolated = Self.isolatedOperation
    return unsafeBitCast(make, to: Anywhere.self)(isolation, self, fulfilment)
  }

  private static func isolatedOperation(
    on actor: isolated (any Actor)?, _ work: FutureWork, for fulfilment: Fulfilment<Output, Failure>
  ) -> @isolated(any) () async -> Void {
    { [weak fulfilment] in
      // A closure belongs to the actor of the function that it is made in if it captures that.
      _ = actor
      let result: Result<Output, Failure>
      do throws(Failure) { result = .success(try await work.run()) } catch { result = .failure(error) }
      fulfilment?.fulfil(result)
    }
  }
}

/// Takes a subscriber off the list when it cancels.
private final class FutureMembership: Subscription {
  private let remove: () -> Void

  init(_ remove: @escaping () -> Void) { self.remove = remove }

  func request(_ demand: Subscribers.Demand) {}

  func cancel() { remove() }
}

/// A future for one subscriber.
@usableFromInline @_fixed_layout
final class FutureSource<Downstream: Subscriber> {
  @usableFromInline let fulfilment: Fulfilment<Downstream.Input, Downstream.Failure>
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ fulfilment: Fulfilment<Downstream.Input, Downstream.Failure>, _ downstream: Downstream) {
    self.fulfilment = fulfilment
    self.downstream = downstream
  }

  @inlinable
  func deliver(_ shot: OneShot) {
    switch fulfilment.result {
    case nil: break
    case .success(let output):
      _ = downstream.receive(output)
      if shot.finish() { downstream.receive(completion: .finished) }
    case .failure(let error):
      if shot.finish() { downstream.receive(completion: .failure(error)) }
    }
  }
}
