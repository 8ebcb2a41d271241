public import Streams
public import Synchronization

/// The subscription of a source that produces values on demand in a task: the asynchronous counterpart of a ``DemandSource``.
///
/// The task starts with the first request, and suspends while there's no demand. A source inherits from this class and
/// overrides ``run()`` and ``releaseSubscriber()``. It calls its subscriber in a closure that it passes to ``deliver(_:)``.
/// Only that closure may access the source's fields. So a cancellation can release the subscriber immediately, even if the task
/// never returns from an asynchronous call.
@usableFromInline @_fixed_layout
class TaskDemandSource: Subscription, @unchecked Sendable {
  // `Sendable` is unchecked because only the task accesses a source's fields, during a delivery. Once the stream has ended and
  // no delivery is in progress, only the thread that calls `releaseSubscriber` does.

  @usableFromInline
  struct State {
    var demand = Subscribers.Demand.none
    /// Indicates whether the subscriber has received its subscription. The task must not start earlier.
    var isReady = false
    var hasBegun = false
    var task: Task<Void, Never>?
    var isDelivering = false
    /// The task's continuation while the task waits for demand.
    var waiter: UnsafeContinuation<Void, Never>?

    @usableFromInline
    init() {}
  }

  @usableFromInline final let state = Locked(State())

  private final let hasEnded = Atomic(false)

  private final let executor: (any TaskExecutor)?

  /// Creates a demand source whose task prefers the given executor. If it's `nil`, the task prefers the timeline (virtual time)
  /// that the first request's thread is advancing.
  @usableFromInline
  init(_ executor: (any TaskExecutor)?) {
    self.executor = executor
  }

  // MARK: For the source to override

  /// Produces values until ``nextBatch()`` returns `nil`.
  @usableFromInline
  func run() async {}

  /// Releases the subscriber and everything that produces values. Called once.
  @usableFromInline
  func releaseSubscriber() {}

  // MARK: For the task

  /// Indicates whether the stream has ended.
  @usableFromInline
  final var isOver: Bool { hasEnded.load(ordering: .relaxed) }

  /// Waits for demand and returns it, or returns `nil` when the stream has ended.
  @usableFromInline
  final func nextBatch() async -> Subscribers.Demand? {
    if let batch = takeBatch() { return batch }
    await withUnsafeContinuation { continuation in
      let waits = state.withLock { state in
        if isOver || state.demand != .none { return false }
        state.waiter = continuation
        return true
      }
      if !waits { continuation.resume() }
    }
    return takeBatch()
  }

  private func takeBatch() -> Subscribers.Demand? {
    state.withLock { state in
      if isOver || state.demand == .none { return nil }
      if state.demand == .unlimited { return .unlimited }
      defer { state.demand = .none }
      return state.demand
    }
  }

  /// Gives the task exclusive access to the source's fields while a closure runs. Returns `false` if the stream was cancelled
  /// and the task must end.
  @inlinable @inline(__always)
  final func deliver(_ body: () -> Void) -> Bool {
    guard beginDelivery() else { return false }
    body()
    return endDelivery()
  }

  @usableFromInline
  final func beginDelivery() -> Bool {
    state.withLock { state in
      if !isOver { state.isDelivering = true }
      return state.isDelivering
    }
  }

  @usableFromInline
  final func endDelivery() -> Bool {
    let goesOn = state.withLock { state in
      state.isDelivering = false
      return !isOver
    }
    if !goesOn { releaseSubscriber() }
    return goesOn
  }

  /// Ends the stream because the source has ended. Returns `false` if the stream was cancelled before. The source must then not
  /// send anything. Otherwise, it must send the completion and release its subscriber.
  @usableFromInline
  final func finish() -> Bool {
    let (isFirst, _) = state.withLock { (!hasEnded.exchange(true, ordering: .relaxed), $0.task.take()) }
    return isFirst
  }

  // MARK: For the subscriber

  /// Lets the task start as soon as there's demand. Called when the subscriber has received its subscription.
  @usableFromInline
  final func begin() {
    let begins = state.withLock { state in
      state.isReady = true
      return shouldBegin(&state)
    }
    if begins { beginTask() }
  }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    let (begins, waiter) = state.withLock { state in
      if isOver { return (false, UnsafeContinuation<Void, Never>?.none) }
      state.demand += demand
      return (shouldBegin(&state), state.waiter.take())
    }
    if begins { beginTask() }
    waiter?.resume()
  }

  private func shouldBegin(_ state: inout State) -> Bool {
    guard state.isReady, !state.hasBegun, state.demand != .none, !isOver else { return false }
    state.hasBegun = true
    return true
  }

  private func beginTask() {
    // The name of the only source that inherits from this class.
    let task = NamedTask.start("AsyncSequence.publisher", on: executor) { await self.run() }
    let isLate = state.withLock { state in
      if isOver { return true }
      state.task = task
      return false
    }
    if isLate { task.cancel() }
  }

  @usableFromInline
  final func cancel() {
    let (isFirst, isDelivering, task, waiter) = state.withLock { state in
      (!hasEnded.exchange(true, ordering: .relaxed), state.isDelivering, state.task.take(), state.waiter.take())
    }
    task?.cancel()
    waiter?.resume()
    // During a delivery, the task calls `releaseSubscriber` itself when the delivery ends.
    if isFirst, !isDelivering { releaseSubscriber() }
  }
}

extension TaskDemandSource: InspectedPart {
  package func inspect(_ tell: StreamFact.Tell) {
    state.withLock { state in
      tell(.sender, 0, self)
      tell(.demand, Int(bitPattern: state.demand.rawValue), nil)
      if isOver { tell(.over, 0, nil) }
      if state.hasBegun { tell(state.waiter != nil ? .taskWaits : .task, 0, nil) }
    }
  }
}
