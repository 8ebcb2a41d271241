internal import GRPCCore
internal import Streams
internal import Synchronization

/// The connection between a call and the subscriber of its messages.
final class RPCSubscription<Output: Sendable>: Subscription, CustomStringConvertible, Sendable {
  private let state: Mutex<State>
  private let whenRequested: (@Sendable (Subscribers.Demand) -> Void)?

  private struct State: AwaitedState {
    var demand = Subscribers.Demand.none
    /// Makes the call, until the task has begun.
    var call: (@Sendable (RPCSubscription<Output>) async throws -> Void)?
    /// Indicates whether the subscriber has its subscription.
    var isReady = false
    var task: Task<Void, Never>?
    /// The task, while it waits for demand.
    var waiter: UnsafeContinuation<Void, Never>?
    /// The subscriber, until the end.
    var receiver: Receiver?
  }

  private struct Receiver: @unchecked Sendable {
    // Unchecked: only the task calls the subscriber.

    let value: (Output) -> Subscribers.Demand
    let completion: (Subscribers.Completion<RPCError>) -> Void
  }

  init<S: Subscriber>(
    _ subscriber: S, _ whenRequested: (@Sendable (Subscribers.Demand) -> Void)?,
    _ call: @escaping @Sendable (RPCSubscription<Output>) async throws -> Void
  ) where S.Input == Output, S.Failure == RPCError {
    let receiver = Receiver(value: subscriber.receive(_:), completion: subscriber.receive(completion:))
    state = Mutex(State(call: call, receiver: receiver))
    self.whenRequested = whenRequested
  }

  var description: String { "RPCPublisher" }

  // MARK: The subscriber

  /// Makes the call as soon as there's demand.
  func begin() { change { $0.isReady = true } }

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    whenRequested?(demand)
    change { $0.demand += demand }
  }

  private func change(_ body: (inout State) -> Void) {
    let (waiter, call) = state.withLock { state in
      guard state.receiver != nil else { return (UnsafeContinuation<Void, Never>?.none, State().call) }
      body(&state)
      guard state.demand > .none else { return (nil, nil) }
      return (state.waiter.take(), state.isReady ? state.call.take() : nil)
    }
    waiter?.resume()
    guard let call else { return }
    let task = Task { await run(call) }
    let isLate = state.withLock { state in
      if state.receiver != nil { state.task = task }
      return state.receiver == nil
    }
    if isLate { task.cancel() }
  }

  func cancel() {
    let ended = end()
    ended.task?.cancel()
    ended.waiter?.resume()
  }

  /// Takes everything that the subscription holds. The caller releases it, without the lock.
  private func end() -> State {
    state.withLock { state in
      let ended = state
      state = State()
      return ended
    }
  }

  // MARK: The task

  private func run(_ call: @Sendable (RPCSubscription<Output>) async throws -> Void) async {
    let completion: Subscribers.Completion<RPCError>
    do {
      try await call(self)
      completion = .finished
    } catch {
      completion = .failure(RPCError(ofCall: error))
    }
    end().receiver?.completion(completion)
  }

  /// Delivers a value as soon as it's requested.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - willDeliver: A closure that's called immediately before, and isn't called after a cancellation.
  /// - Throws: A `CancellationError` if the subscription is cancelled.
  func deliver(_ value: Output, willDeliver: () -> Void = {}) async throws {
    while true {
      let (isOver, receiver) = takeReceiver()
      if isOver { throw CancellationError() }
      if let receiver {
        willDeliver()
        let demand = receiver.value(value)
        if demand > .none { request(demand) }
        return
      }
      // gRPC cancels the task of a call whose deadline passes.
      try Task.checkCancellation()
      await state.wait { $0.receiver != nil && $0.demand == .none }
    }
  }

  /// Returns the subscriber for one value, if it's requested, and whether the stream is over.
  private func takeReceiver() -> (isOver: Bool, receiver: Receiver?) {
    state.withLock { state in
      guard state.demand > .none else { return (state.receiver == nil, nil) }
      state.demand -= 1
      return (false, state.receiver)
    }
  }
}
