/// A publisher that produces one result once and replays it to each subscriber.
///
///     let future = Future<Int, Never> { promise in promise(.success(1)) }
///     let page = Future { try await download(url) }
///
/// ![subscriber 1 receives 1 at 300 ms and finishes; subscriber 2, subscribed at 600 ms, receives 1 at 600 ms and finishes.](diagram-future)
///
/// The closure runs immediately and only once. The first call to its promise, from any thread, determines the result. Later calls
/// have no effect. If the promise is released without being called, the future stays pending and delivers nothing. Debug builds
/// report that on standard error as soon as something waits for the result.
///
/// A value waits for demand, but a failure doesn't. Subscribers receive the result in the order in which they subscribed, on the
/// thread that fulfills the promise. A subscriber that requests its value later receives it on the requesting thread.
@_fixed_layout
public final class Future<Output, Failure: Error>: Publisher {
  /// The type of the closure that fulfills a future. You can call it from any thread, for example in a completion handler.
  ///
  /// A result that isn't `Sendable` is transferred. The future's lock ensures that your accesses before the call happen before
  /// any access by a subscriber. You must ensure that the promise's caller doesn't use such a result afterward, and that at most
  /// one subscriber does. The compiler doesn't check this, although it does for the result of an asynchronous closure.
  public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

  @usableFromInline let fulfillment = Fulfillment<Output, Failure>()

  /// Creates a future and runs the closure that fulfills it.
  ///
  /// - Parameter attemptToFulfill: A closure that receives the promise and calls it, now or later, with the result.
  @inlinable
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
    var promise = fulfillment.promise
    // Assertions are evaluated only in debug builds.
    assert(
      {
        promise = WatchedPromise(fulfillment).promise
        return true
      }())
    attemptToFulfill(promise)
  }

  /// Creates a future and starts a task that produces its result with an asynchronous closure.
  ///
  /// ```swift
  /// let page = Future { try await download(url) }   // Future<Page, any Error>
  /// let number = Future { () async throws(ParseError) in try await parse(text) }   // Future<Int, ParseError>
  /// ```
  ///
  /// The task starts immediately and only once, with or without subscribers. To start one for each subscriber, use ``Deferred``.
  /// The task is cancelled when nothing can receive the result anymore: the future has been released, all its subscribers have
  /// cancelled, and no task is awaiting `value`. The result or error of a cancelled task is dropped.
  ///
  /// The closure runs on the first of these that exists: the actor that your surrounding code is isolated to, the scheduler's
  /// task executor, the timeline (a test's virtual time) that the calling thread is advancing, or the global concurrent executor.
  /// Waiting subscribers receive the result wherever the closure ended. The future costs a task and about ten objects.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler on which the task runs, if its `taskExecutor` isn't `nil`. A test scheduler runs the
  ///     task on its timeline.
  ///   - priority: The priority of the task.
  ///   - operation: An asynchronous closure that produces the result. A result that isn't `Sendable` must not be
  ///     shared with other code.
  @_disfavoredOverload
  public init(
    on scheduler: (any Scheduler)? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext operation: sending @escaping @isolated(any) () async throws(Failure) -> sending Output
  ) {
    fulfillment.start(FutureWork(operation), on: scheduler?.taskExecutor, priority)
  }

  /// Creates a future and starts a task on an executor that produces its result with an asynchronous closure.
  ///
  /// Apart from the executor, it behaves like the initializer that takes a scheduler.
  ///
  /// - Parameters:
  ///   - executor: The executor that the task prefers.
  ///   - priority: The priority of the task.
  ///   - operation: An asynchronous closure that produces the result. A result that isn't `Sendable` must not be
  ///     shared with other code.
  @_disfavoredOverload
  public init(
    on executor: any TaskExecutor, priority: TaskPriority? = nil,
    @_inheritActorContext operation: sending @escaping @isolated(any) () async throws(Failure) -> sending Output
  ) {
    fulfillment.start(FutureWork(operation), on: executor, priority)
  }

  /// Creates a future for a piece of work and starts a task that runs it. The task is named after the operator.
  init(_ work: FutureWork<Output, Failure>, on executor: (any TaskExecutor)?, for operatorName: String) {
    fulfillment.start(work, on: executor, nil, for: operatorName)
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let source = FutureSource(fulfillment, subscriber)
    let shot = source.makeShot()
    // Another thread may fulfill the future at any time, and must not come before the subscription.
    subscriber.receive(subscription: shot)
    fulfillment.add(shot)
    fulfillment.announce(to: shot)
  }
}

// Unchecked: `fulfillment`'s lock guards all state. The result moves from the promise's thread to others.
extension Future: @unchecked Sendable where Output: Sendable {}

extension Future where Failure == Never {
  /// The result, available once the future is fulfilled.
  ///
  /// If the future is never fulfilled, `await` on this property never returns, because it has no error with which to report that
  /// your task was cancelled. A loop over `values` does end when its task is cancelled.
  public var value: Output {
    get async {
      await withUnsafeContinuation { continuation in
        fulfillment.whenFulfilled { result in
          guard case .success(let output) = result else { return }
          nonisolated(unsafe) let handedOver = output  // Handed over: the future is read-only from now on.
          continuation.resume(returning: handedOver)
        }
      }
    }
  }
}

extension Future {
  /// The result, available once the future is fulfilled.
  ///
  /// - Throws: The failure, or `CancellationError` if the awaiting task is cancelled first.
  public var value: Output {
    get async throws {
      let waiting = FutureWaiter<Output, Failure>()
      return try await withTaskCancellationHandler {
        try await withUnsafeThrowingContinuation { continuation in
          waiting.begin(continuation)
          fulfillment.whenFulfilled { waiting.end($0.mapError { $0 as any Error }) }
        }
      } onCancel: {
        waiting.end(.failure(CancellationError()))
      }
    }
  }
}

/// A task that is waiting for a future. The wait ends with the result or with cancellation, whichever comes first.
private final class FutureWaiter<Output, Failure: Error>: Locked<FutureWaiterState<Output>>, @unchecked Sendable {
  // Unchecked: the lock guards all state.
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
    nonisolated(unsafe) let handedOver = result  // No other code has a reference to it.
    continuation.resume(with: handedOver)
  }
}

private struct FutureWaiterState<Output> {
  var continuation: UnsafeContinuation<Output, any Error>?
  var result: Result<Output, any Error>?
}

/// A future's result, along with the subscribers and tasks that are waiting for it.
@usableFromInline @_fixed_layout
final class Fulfillment<Output, Failure: Error>: Locked<FulfillmentState<Output, Failure>>, @unchecked Sendable {
  // Unchecked: the lock guards all state. If a result isn't `Sendable`, the code that fulfills the future transfers it. See
  // `Promise`.
  @inlinable
  init() { super.init(FulfillmentState()) }

  @usableFromInline
  var result: Result<Output, Failure>? { withLock { $0.result } }

  @inlinable
  var promise: Future<Output, Failure>.Promise { { self.fulfill($0) } }

  @usableFromInline
  func fulfill(_ result: Result<Output, Failure>) {
    let context = ContextSnapshot.captured()
    let (waiting, callbacks, task) = withLock {
      state -> ([Int: SingleValueSource], [(Result<Output, Failure>) -> Void], FutureTask?) in
      guard state.result == nil else { return ([:], [], nil) }
      state.result = result
      state.context = context
      defer {
        state.waiting = [:]
        state.callbacks = []
      }
      return (state.waiting, state.callbacks, state.task.take())
    }
    for (_, shot) in waiting.sorted(by: { $0.key < $1.key }) { announce(to: shot) }
    for callback in callbacks { callback(result) }
    // Releasing it cancels the task, so it must outlive the deliveries. Their code may check whether the task is cancelled.
    withExtendedLifetime(task) {}
  }

  func whenFulfilled(_ callback: @escaping (Result<Output, Failure>) -> Void) {
    let (result, isHopeless) = withLock { state in
      if state.result == nil { state.callbacks.append(callback) }
      return (state.result, state.isHopeless)
    }
    if let result { callback(result) }
    if isHopeless { warnAboutPromise() }
  }

  /// Records that nothing can call the promise anymore.
  func abandon() {
    let isHopeless = withLock { state in
      state.isAbandoned = true
      return state.isHopeless
    }
    if isHopeless { warnAboutPromise() }
  }

  private func warnAboutPromise() {
    warn(
      "The promise of a Future was released without being called, so its subscribers wait forever for a result. Call it on "
        + "every path through the closure, with a failure if necessary. The future is a Future<\(Output.self), \(Failure.self)>."
    )
  }

  /// Adds a subscriber, unless there's already a result.
  @usableFromInline
  func add(_ shot: SingleValueSource) {
    let (number, isHopeless): (Int?, Bool) = withLock { state in
      guard state.result == nil else { return (nil, false) }
      state.count += 1
      state.waiting[state.count] = shot
      return (state.count, state.isHopeless)
    }
    if let number {
      shot.onCancel(
        FutureMembership { [weak self] leaves in
          if leaves { self?.remove(number) }
          return self?.withLock(\.isHopeless) ?? true
        })
    }
    if isHopeless { warnAboutPromise() }
  }

  /// Notifies a subscriber of the result, if there is one.
  @usableFromInline
  func announce(to shot: SingleValueSource) {
    let (result, context) = withLock { ($0.result, $0.context) }
    guard let result else { return }
    ContextSnapshot.run(context) {
      switch result {
      case .success: shot.becomeReady()
      case .failure: shot.becomeReady(waitsForDemand: false)
      }
    }
  }

  private func remove(_ number: Int) { _ = withLock { $0.waiting.removeValue(forKey: number) } }
}

@usableFromInline
struct FulfillmentState<Output, Failure: Error> {
  var result: Result<Output, Failure>?
  /// The context in which the promise was called, if contexts are carried.
  var context: ContextSnapshot?
  /// The task that produces the result, if a task does.
  var task: FutureTask?
  var waiting: [Int: SingleValueSource] = [:]
  var callbacks: [(Result<Output, Failure>) -> Void] = []
  var count = 0
  /// Indicates whether the promise was released without being called. Known in debug builds only.
  var isAbandoned = false
  /// Indicates whether something is waiting for a result that can never arrive.
  var isHopeless: Bool { isAbandoned && result == nil && !(waiting.isEmpty && callbacks.isEmpty) }

  @usableFromInline
  init() {}
}

/// The object that a future's promise captures in debug builds, to detect that nothing can call it anymore.
@usableFromInline
final class WatchedPromise<Output, Failure: Error>: Sendable {
  private let fulfillment: Fulfillment<Output, Failure>

  @usableFromInline
  init(_ fulfillment: Fulfillment<Output, Failure>) { self.fulfillment = fulfillment }

  @usableFromInline
  var promise: Future<Output, Failure>.Promise { { [self] in fulfillment.fulfill($0) } }

  deinit { fulfillment.abandon() }
}

extension Fulfillment {
  /// Starts a task that produces the result.
  ///
  /// The task doesn't retain this object. The future and its subscriptions do, so releasing them all cancels the task.
  func start(
    _ work: FutureWork<Output, Failure>, on executor: (any TaskExecutor)?, _ priority: TaskPriority?,
    for operatorName: String = "Future"
  ) {
    let task = FutureTask(NamedTask.start(operatorName, on: executor, priority, operation: work.operation(for: self)))
    withLock { state in
      if state.result == nil { state.task = task }
    }
  }
}

/// The task of a future, cancelled on deinitialization.
final class FutureTask {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  deinit { task.cancel() }
}

/// The work that a future's task runs.
struct FutureWork<Output, Failure: Error>: @unchecked Sendable {
  // Unchecked: the closure was sent here, or can run anywhere. One task calls it, once.
  private let isolation: (any Actor)?
  fileprivate let run: nonisolated(nonsending) () async throws(Failure) -> sending Output
  /// Called when the result has been delivered, or dropped because nothing is waiting for it anymore.
  fileprivate let whenEnded: (@Sendable () -> Void)?

  init(_ operation: @escaping @isolated(any) () async throws(Failure) -> sending Output) {
    run = { () async throws(Failure) in try await operation() }
    isolation = operation.isolation
    whenEnded = nil
  }

  /// Creates work on a value from a stream. The value doesn't need to be `Sendable`.
  init<Input>(
    _ operation: @escaping @isolated(any) @Sendable (Input) async throws(Failure) -> sending Output, with input: Input,
    whenEnded: (@Sendable () -> Void)? = nil
  ) {
    // Unchecked: transferred to the task. As with every operator that moves values to other threads, you must ensure that
    // upstream and other receivers of the value no longer use it.
    nonisolated(unsafe) let input = input
    run = { () async throws(Failure) in try await operation(input) }
    isolation = operation.isolation
    self.whenEnded = whenEnded
  }

  /// The work as the operation of a task that belongs to the closure's actor from the start. Tasks that an actor starts therefore
  /// begin in the same order, and the result is delivered wherever the closure ended.
  func operation(for fulfillment: Fulfillment<Output, Failure>) -> @isolated(any) () async -> Void {
    // Only a function isolated to the actor can create a closure that is. Creating the closure touches none of the actor's state,
    // so any thread may call the function. The standard library implements `assumeIsolated` with the same conversion.
    typealias Isolated = (isolated (any Actor)?, FutureWork, Fulfillment<Output, Failure>) ->
      @isolated(any) () async -> Void
    typealias Anywhere = ((any Actor)?, FutureWork, Fulfillment<Output, Failure>) -> @isolated(any) () async -> Void
    let make: Isolated = isolatedOperation
    return unsafeBitCast(make, to: Anywhere.self)(isolation, self, fulfillment)
  }
}

/// A file-level function, not a method. For the reason, see its namesake in `ActorHop.swift`.
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

/// Removes a subscriber from the list when it cancels.
final class FutureMembership: Subscription {
  /// Leaves the list if the argument is true. Returns whether, as far as is known, no result can arrive anymore.
  private let act: (_ leaves: Bool) -> Bool

  init(_ act: @escaping (_ leaves: Bool) -> Bool) { self.act = act }

  func request(_ demand: Subscribers.Demand) {}

  func cancel() { _ = act(true) }

  var isHopeless: Bool { act(false) }
}

/// A future's delivery to one subscriber.
@usableFromInline @_fixed_layout
final class FutureSource<Downstream: Subscriber> {
  @usableFromInline let fulfillment: Fulfillment<Downstream.Input, Downstream.Failure>
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ fulfillment: Fulfillment<Downstream.Input, Downstream.Failure>, _ downstream: Downstream) {
    self.fulfillment = fulfillment
    self.downstream = downstream
  }

  // A method, so that the closure captures only this object.
  @inlinable @inline(__always)
  func makeShot() -> SingleValueSource { SingleValueSource(of: self) { self.deliver($0) } }

  @inlinable
  func deliver(_ shot: SingleValueSource) {
    switch fulfillment.result {
    case nil: break
    case .success(let output):
      _ = downstream.receive(output)
      if shot.finish() { downstream.receive(completion: .finished) }
    case .failure(let error):
      if shot.finish() { downstream.receive(completion: .failure(error)) }
    }
  }
}

extension FutureSource: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .sends(name: "Future", to: Downstream.self) }
}
