/// A publisher that produces one result once and replays it to each subscriber.
///
///     let future = Future<Int, Never> { promise in promise(.success(1)) }
///
/// ![subscriber 1 receives 1 at 300 ms and finishes; subscriber 2, subscribed at 600 ms, receives 1 at 600 ms and finishes.](diagram-future)
///
/// The closure runs immediately and only once. The first call to its promise, from any thread, determines the result. Later calls
/// have no effect. If the promise is released without being called, the future stays pending. Debug builds report that on
/// standard error once anything waits for the result.
///
/// A value waits for demand, but a failure doesn't. Waiting subscribers receive the result in the order in which they subscribed,
/// on the thread that calls the promise. A subscriber that subscribes or requests the value later receives it on the thread that
/// does so.
@_fixed_layout
public final class Future<Output, Failure: Error>: Publisher {
  /// The type of the closure that fulfills a future. You can call it from any thread, for example in a completion handler.
  ///
  /// A result that isn't `Sendable` is transferred. The future's lock ensures that your accesses before the call happen before a
  /// subscriber's. The promise's caller must not use such a result afterward, and at most one subscriber may. The compiler checks
  /// this only for the result of an asynchronous closure.
  public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

  @usableFromInline package let fulfillment = Fulfillment<Output, Failure>()

  /// Creates a future for other code to fulfill.
  package init() {}

  /// Creates a future and runs the closure that fulfills it.
  ///
  /// - Parameter attemptToFulfill: A closure that receives the promise and calls it, now or later, with the result.
  @inlinable
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
    fulfillment.noteMade()
    var promise = fulfillment.promise
    // Assertions are evaluated only in debug builds.
    assert(
      {
        promise = WatchedPromise(fulfillment).promise
        return true
      }())
    attemptToFulfill(promise)
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let source = FutureSource(fulfillment, subscriber)
    let shot = source.makeShot()
    // Another thread may fulfill the future at any time, but the result must not arrive before the subscription.
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
  /// If the future is never fulfilled, `await` on this property never returns, even when your task is cancelled. A loop over
  /// `values` does end then.
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

/// A task that waits for a future's result or its own cancellation.
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
package final class Fulfillment<Output, Failure: Error>: Locked<FulfillmentState<Output, Failure>>, @unchecked Sendable
{
  // Unchecked: the lock guards all state. If a result isn't `Sendable`, the code that fulfills the future transfers it. See
  // `Promise`.
  @inlinable
  init() { super.init(FulfillmentState()) }

  /// Tells the stream observer where the future was created.
  @usableFromInline
  package func noteMade() { StreamObserver.noteMade(self) }

  deinit { StreamObserver.noteReleased(self) }

  @usableFromInline
  var result: Result<Output, Failure>? { withLock { $0.result } }

  @inlinable
  var promise: Future<Output, Failure>.Promise { { self.fulfill($0) } }

  @usableFromInline
  package func fulfill(_ result: Result<Output, Failure>) {
    let context = ContextSnapshot.captured()
    let (waiting, callbacks, task) = withLock {
      state -> ([Int: SingleValueSource], [(Result<Output, Failure>) -> Void], AnyObject?) in
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
    // Releasing this object cancels the task, so it must outlive the deliveries, whose code may check whether the task is
    // cancelled.
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
    if let number { shot.onCancel(FutureMembership(number, of: self)) }
    if isHopeless { warnAboutPromise() }
  }

  /// Notifies a subscriber of the result, if there's one.
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

}

extension Fulfillment: FutureMembers {
  func remove(_ number: Int) { _ = withLock { $0.waiting.removeValue(forKey: number) } }

  func inspect(_ tell: StreamFact.Tell) {
    withLock { state in
      tell(state.isHopeless ? .abandoned : .promised, 0, nil)
      if state.task != nil { tell(.task, state.isOperatorsTask ? 1 : 0, nil) }
      tell(.made, 0, self)
    }
  }
}

@usableFromInline
package struct FulfillmentState<Output, Failure: Error> {
  package var result: Result<Output, Failure>?
  /// The context in which the promise was called, if contexts are carried.
  var context: ContextSnapshot?
  /// The task that produces the result, if any. Releasing this object cancels the task.
  package var task: AnyObject?
  /// Indicates whether an operator started the task for one of its values.
  package var isOperatorsTask = false
  var waiting: [Int: SingleValueSource] = [:]
  var callbacks: [(Result<Output, Failure>) -> Void] = []
  var count = 0
  /// Indicates whether the promise was released without being called. Set only in debug builds.
  var isAbandoned = false
  /// Indicates whether something is waiting for a result that can never arrive.
  var isHopeless: Bool { isAbandoned && result == nil && !(waiting.isEmpty && callbacks.isEmpty) }

  @usableFromInline
  init() {}
}

/// The object that a future's promise captures in debug builds, to detect that nothing can call the promise anymore.
@usableFromInline
final class WatchedPromise<Output, Failure: Error>: Sendable {
  private let fulfillment: Fulfillment<Output, Failure>

  @usableFromInline
  init(_ fulfillment: Fulfillment<Output, Failure>) { self.fulfillment = fulfillment }

  @usableFromInline
  var promise: Future<Output, Failure>.Promise { { [self] in fulfillment.fulfill($0) } }

  deinit { fulfillment.abandon() }
}

/// The subscribers that wait for a future, independent of the future's types.
protocol FutureMembers: AnyObject, Sendable {
  func remove(_ number: Int)

  /// Tells where the result is expected to come from.
  func inspect(_ tell: StreamFact.Tell)
}

/// Removes a subscriber from its future when the subscriber cancels.
final class FutureMembership: Subscription {
  private let number: Int
  private weak let members: (any FutureMembers)?

  init(_ number: Int, of members: any FutureMembers) {
    self.number = number
    self.members = members
  }

  func request(_ demand: Subscribers.Demand) {}

  func cancel() { members?.remove(number) }

  func inspect(_ tell: StreamFact.Tell) {
    if let members { members.inspect(tell) } else { tell(.abandoned, 0, nil) }
  }
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
