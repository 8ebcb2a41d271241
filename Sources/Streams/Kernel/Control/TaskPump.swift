public import Synchronization

/// The subscription of a source that produces on demand in a task: the asynchronous counterpart of a ``Pump``.
///
/// The task begins with the first request, and suspends while nothing is asked for. A source inherits from this, overrides
/// ``run()`` and ``letGo()``, and puts each call of its subscriber between ``beginDelivery()`` and ``endDelivery()``: two
/// atomic instructions, which say who may touch what the source holds. So a cancellation lets go of the subscriber at once,
/// also when the task never comes back from what it waits for.
@usableFromInline @_fixed_layout
class TaskPump: Locked<TaskPump.State>, Subscription, @unchecked Sendable {
  // `Sendable` is unchecked because what a source holds belongs to whoever has begun a delivery, or has ended this.

  @usableFromInline
  struct State {
    var demand = Subscribers.Demand.none
    /// Whether the task may begin: the subscriber has its subscription.
    var isReady = false
    var hasBegun = false
    var task: Task<Void, Never>?
    /// The task, while it waits for demand.
    var waiter: UnsafeContinuation<Void, Never>?

    @usableFromInline
    init() {}
  }

  @usableFromInline
  enum Phase {
    @inlinable static var idle: UInt8 { 0 }
    @inlinable static var delivering: UInt8 { 1 }
    @inlinable static var over: UInt8 { 2 }
  }

  @usableFromInline final let phase = Atomic(Phase.idle)
  private final let executor: (any TaskExecutor)?

  /// Makes one whose task prefers an executor, or else the timeline that the thread of the first request is moving on.
  @usableFromInline
  init(_ executor: (any TaskExecutor)?) {
    self.executor = executor
    super.init(State())
  }

  // MARK: For the source to override

  /// Produces until ``nextBatch()`` returns `nil`.
  @usableFromInline
  func run() async {}

  /// Lets go of the subscriber, and of what values are made from. Called once.
  @usableFromInline
  func letGo() {}

  // MARK: For the task

  /// Whether nothing more is to be produced.
  @inlinable
  final var isOver: Bool { phase.load(ordering: .relaxed) == Phase.over }

  /// Waits until something has been asked for, and returns how much that is; `nil` when nothing more is to be produced.
  @usableFromInline
  final func nextBatch() async -> Subscribers.Demand? {
    if let batch = takeBatch() { return batch }
    await withUnsafeContinuation { continuation in
      let waits = withLock { state in
        if isOver || state.demand != .none { return false }
        state.waiter = continuation
        return true
      }
      if !waits { continuation.resume() }
    }
    return takeBatch()
  }

  private func takeBatch() -> Subscribers.Demand? {
    withLock { state in
      if isOver || state.demand == .none { return nil }
      if state.demand == .unlimited { return .unlimited }
      defer { state.demand = .none }
      return state.demand
    }
  }

  /// Makes the task the one that may touch what the source holds; returns false when it was cancelled.
  @inlinable @inline(__always)
  final func beginDelivery() -> Bool {
    phase.compareExchange(expected: Phase.idle, desired: Phase.delivering, ordering: .acquiring).exchanged
  }

  /// Ends what ``beginDelivery()`` began; returns false when this was cancelled meanwhile, and the task has to end.
  @inlinable @inline(__always)
  final func endDelivery() -> Bool {
    let (isOn, _) = phase.compareExchange(
      expected: Phase.delivering, desired: Phase.idle, ordering: .acquiringAndReleasing)
    if !isOn { letGo() }
    return isOn
  }

  /// Ends this because the source is exhausted; returns false when it was cancelled before, and nothing is to be sent. After
  /// sending the completion the source lets go.
  @usableFromInline
  final func finish() -> Bool {
    let (isNews, _) = phase.compareExchange(
      expected: Phase.idle, desired: Phase.over, ordering: .acquiringAndReleasing)
    if isNews { _ = withLock { $0.task.take() } }
    return isNews
  }

  // MARK: For the subscriber

  /// Has the task begin when something has been asked for: the subscriber has its subscription now.
  @usableFromInline
  final func begin() {
    let begins = withLock { state in
      state.isReady = true
      return shouldBegin(&state)
    }
    if begins { beginTask() }
  }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    demand.requirePositive()
    let (begins, waiter) = withLock { state in
      if isOver { return (false, UnsafeContinuation<Void, Never>?.none) }
      state.demand += demand
      return (shouldBegin(&state), state.waiter.take())
    }
    if begins { beginTask() }
    waiter?.resume()
  }

  /// Called under the lock.
  private func shouldBegin(_ state: inout State) -> Bool {
    guard state.isReady, !state.hasBegun, state.demand != .none, !isOver else { return false }
    state.hasBegun = true
    return true
  }

  private func beginTask() {
    let task = Task(executorPreference: executor ?? Surroundings.taskExecutor) { await self.run() }
    let isLate = withLock { state in
      if isOver { return true }
      state.task = task
      return false
    }
    if isLate { task.cancel() }
  }

  @usableFromInline
  final func cancel() {
    let former = phase.exchange(Phase.over, ordering: .acquiringAndReleasing)
    if former == Phase.over { return }
    let (task, waiter) = withLock { ($0.task.take(), $0.waiter.take()) }
    task?.cancel()
    waiter?.resume()
    // Else the task does that when it ends its delivery.
    if former == Phase.idle { letGo() }
  }
}
