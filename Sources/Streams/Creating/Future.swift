/// A publisher of one result that is produced once, and given to every subscriber.
///
/// The closure runs at once. The first call of its promise counts, from any thread; later ones do nothing. If the promise
/// is let go of without a call, the future stays pending: nothing is delivered.
///
///     let future = Future<Int, Never> { promise in promise(.success(1)) }
///
/// ![Marble diagram of Future](diagram-future)
///
/// A value waits until a subscriber asks for it; a failure does not. Subscribers are served in the order in which they
/// came.
@_fixed_layout
public final class Future<Output, Failure: Error>: Publisher {
  /// What is called with the result.
  public typealias Promise = (Result<Output, Failure>) -> Void

  @usableFromInline let fulfilment = Fulfilment<Output, Failure>()

  /// Makes a future and runs the closure that is to fulfil it.
  @inlinable
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
    let fulfilment = fulfilment
    attemptToFulfill { fulfilment.fulfil($0) }
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
final class Fulfilment<Output, Failure: Error>: Locked<FulfilmentState<Output, Failure>> {
  @inlinable
  init() { super.init(FulfilmentState()) }

  @usableFromInline
  var result: Result<Output, Failure>? { withLock { $0.result } }

  @usableFromInline
  func fulfil(_ result: Result<Output, Failure>) {
    let (waiting, callbacks) = withLock { state -> ([Int: OneShot], [(Result<Output, Failure>) -> Void]) in
      guard state.result == nil else { return ([:], []) }
      state.result = result
      defer {
        state.waiting = [:]
        state.callbacks = []
      }
      return (state.waiting, state.callbacks)
    }
    for (_, shot) in waiting.sorted(by: { $0.key < $1.key }) { announce(to: shot) }
    for callback in callbacks { callback(result) }
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
  var waiting: [Int: OneShot] = [:]
  var callbacks: [(Result<Output, Failure>) -> Void] = []
  var count = 0

  @usableFromInline
  init() {}
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
