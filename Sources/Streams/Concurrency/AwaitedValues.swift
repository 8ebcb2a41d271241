/// The strategy for requesting values and keeping them until a task awaits them.
@usableFromInline @frozen
package enum AwaitedBuffering: Sendable {
  /// Requests each value when it's awaited.
  case none
  /// Requests the given number of values, and more when half of them have been taken.
  case requesting(Int)
  /// Requests all values, and keeps up to the given number of them.
  case keeping(Int, Overflow)
}

/// The buffer between a publisher and an iterator over its values. Values wait here for a task, or a task waits for a value.
///
/// The iterator takes an available value in one locked section, without suspending the task. Otherwise, the task stores its
/// continuation, and the thread that sends the next value resumes the task with it, outside the lock.
@usableFromInline @_fixed_layout
final class AwaitedValues<Output, Failure: Error>: CountedUpstreamLink, @unchecked Sendable {
  // `Sendable` is unchecked because the lock protects all mutable state. Values move from the publisher's thread to the task that
  // awaits them, and nothing else refers to them then.

  /// The demand to request when the subscription arrives.
  @usableFromInline let initialDemand: Subscribers.Demand
  /// The number of values to take before requesting as many again, or `Int.max` to request no more.
  @usableFromInline let batch: Int
  /// The maximum number of values to keep.
  @usableFromInline let capacity: Int
  /// The strategy for a value that doesn't fit.
  @usableFromInline let overflow: Overflow
  @usableFromInline let reportsDrops: Bool

  // Exclusive: protected by the lock, under which no unknown code runs. Displaced values are released without the lock.
  @usableFromInline @exclusivity(unchecked) var contents = Contents()

  @usableFromInline @frozen
  struct Contents: ~Copyable {
    @usableFromInline var queue = Ring<Output>()
    /// The continuation of the waiting task. While there's one, the queue is empty.
    @usableFromInline var waiter: UnsafeContinuation<Output?, Never>?
    /// The error that the loop throws at the end. Until upstream ends, the error for a value that doesn't fit.
    @usableFromInline var failure: Failure?
    /// The number of values taken since the last request upstream.
    @usableFromInline var taken = 0
    /// Indicates whether a value has been requested from upstream but hasn't arrived.
    @usableFromInline var isAsked = false
    /// The counter of the values that arrive, if streams are observed.
    @usableFromInline var counter: TimedCounter?
    /// Indicates whether no more values arrive, because upstream has ended or been cancelled.
    @usableFromInline var isOver = false

    @inlinable
    init() {}

    /// Counts a taken value and returns the number of values to request now.
    @inlinable @inline(__always)
    mutating func countTaken(_ batch: Int) -> Int {
      taken &+= 1
      if taken < batch { return 0 }
      defer { taken = 0 }
      return taken
    }
  }

  @inlinable
  init(_ buffering: AwaitedBuffering, overflowError: Failure?, reportsDrops: Bool) {
    switch buffering {
    case .none: (initialDemand, batch, capacity, overflow) = (.none, .max, .max, .dropNewest)
    case .requesting(let count):
      (initialDemand, batch, capacity, overflow) = (.max(count), count / 2 &+ count % 2, .max, .dropNewest)
    case .keeping(let count, let overflow):
      (initialDemand, batch, capacity, self.overflow) = (.unlimited, .max, count, overflow)
    }
    self.reportsDrops = reportsDrops
    super.init()
    contents.failure = overflowError
    if RuntimeFeatures.isAny { beginCounting() }
  }

  /// Lists this loop among the live streams and counts its values, if streams are observed.
  @usableFromInline @inline(never)
  func beginCounting() {
    guard let entry = StreamObserver.current?.began(self) else { return }
    // The lock is needed, because the observer may already be reading the counter.
    withContents { $0.counter = TimedCounter(entry) }
  }

  /// Indicates whether to request each value when it's awaited.
  @inlinable
  var asksForEach: Bool { initialDemand == .none }

  @inlinable @inline(__always)
  func withContents<Result: ~Copyable>(_ transition: (inout Contents) -> Result) -> Result {
    withLock { _ in transition(&contents) }
  }

  override var isBusyLoop: Bool { reportsDrops }

  override func valueDropped(hasRequested: Bool, for subscriber: Any) { assert(!reportsDrops || noteBusyLoop()) }

  override func inspectContents(_ state: UpstreamLink.State, _ tell: StreamFact.Tell) {
    tell(.iterated, contents.waiter == nil ? 0 : 1, nil)
    tell(.waiting, contents.queue.count, nil)
    contents.counter?.tell(tell)
    super.inspectContents(state, tell)
  }

  // MARK: The task

  /// Returns a value if one is waiting or arrives synchronously on request. Returns `nil` if the task has been cancelled.
  @inlinable @inline(__always)
  func takeAvailable() -> Output? {
    if Task.isCancelled { return nil }
    let (value, more) = withContents { contents -> (Output?, Int) in
      if !contents.queue.isEmpty {
        return (contents.queue.removeExistingFirst(), contents.countTaken(batch))
      }
      guard asksForEach, !contents.isAsked, !contents.isOver else { return (nil, 0) }
      contents.isAsked = true
      return (nil, 1)
    }
    if more == 0 { return value }
    request(.max(more))
    return value ?? withContents { $0.queue.popFirst() }
  }

  /// Suspends the task until there's a value or the stream ends.
  @inlinable @inline(never)
  func wait(isolation actor: isolated (any Actor)?) async throws(Failure) -> Output? {
    if Task.isCancelled {
      cancel()
      return nil
    }
    var value: Output?
    if !hasEnded {
      value = await withTaskCancellationHandler {
        // A closure is isolated to the actor only if it captures the isolation.
        _ = actor
        return await withUnsafeContinuation { begin($0) }
      } onCancel: {
        cancel()
      }
    }
    if let value { return value }
    if let failure = withContents({ $0.failure.take() }) { throw failure }
    return nil
  }

  /// Indicates whether no value is waiting and none will arrive.
  @inlinable
  var hasEnded: Bool { withContents { $0.isOver && $0.queue.isEmpty } }

  /// Stores a task's continuation, unless a value or the end has arrived since the task looked.
  @inlinable
  func begin(_ continuation: UnsafeContinuation<Output?, Never>) {
    var isShared = false
    let (isReady, value, more) = withContents { contents -> (Bool, Output?, Int) in
      if !contents.queue.isEmpty {
        return (true, contents.queue.removeExistingFirst(), contents.countTaken(batch))
      }
      if contents.isOver { return (true, nil, 0) }
      isShared = contents.waiter != nil
      contents.waiter = continuation
      return (false, nil, 0)
    }
    if isShared { stopAtSharedIterator() }
    if more > 0 { request(.max(more)) }
    if isReady { resume(continuation, value) }
  }

  @inlinable @inline(__always)
  func resume(_ continuation: UnsafeContinuation<Output?, Never>, _ value: Output?) {
    // Safe: the publisher has given up the value, so only the resumed task receives it.
    nonisolated(unsafe) let handedOver = value
    continuation.resume(returning: handedOver)
  }

  // MARK: Upstream

  /// Passes a value to the waiting task, or keeps or drops it. Returns the number of values to request.
  @inlinable
  func receive(_ value: Output) -> Subscribers.Demand {
    var displaced: Output?
    var overflows = false
    let (waiter, more) = withContents { contents -> (UnsafeContinuation<Output?, Never>?, Int) in
      contents.counter?.noteValue()
      if contents.isOver { return (nil, 0) }
      contents.isAsked = false
      if let waiter = contents.waiter.take() { return (waiter, contents.countTaken(batch)) }
      if contents.queue.count == capacity {
        switch overflow {
        case .dropNewest, .wait: return (nil, 0)
        case .dropOldest: displaced = contents.queue.popFirst()
        case .fail, .cancel:
          contents.isOver = true
          overflows = true
          return (nil, 0)
        }
      }
      contents.queue.append(value)
      return (nil, 0)
    }
    if let waiter { resume(waiter, value) }
    if overflows { endForLackOfRoom() }
    _ = displaced
    return Subscribers.Demand(rawValue: UInt(bitPattern: more))
  }

  /// Cancels upstream, which has sent a value that doesn't fit. If the loop is to fail, it first delivers the kept values.
  @usableFromInline @inline(never)
  func endForLackOfRoom() {
    if case .cancel = overflow { cancel() } else { super.cancel() }
  }

  /// Records the end, which is delivered after the kept values.
  @inlinable
  func end(_ completion: Subscribers.Completion<Failure>) {
    guard finish() else { return }
    let waiter = withContents { contents -> UnsafeContinuation<Output?, Never>? in
      if contents.isOver { return nil }
      contents.isOver = true
      contents.failure = if case .failure(let error) = completion { error } else { nil }
      return contents.waiter.take()
    }
    if let waiter { resume(waiter, nil) }
  }

  /// Cancels upstream, drops the kept values, and resumes the waiting task.
  @usableFromInline
  override func cancel() {
    if CancelledWait.isAnyCollected, withContents({ $0.waiter != nil }), CancelledWait.putsOffEnd(of: self, cancel) {
      return
    }
    let (waiter, failure, counter) = withContents { contents in
      let counter = contents.isOver ? nil : contents.counter
      contents.isOver = true
      return (contents.waiter.take(), contents.failure.take(), counter)
    }
    counter?.noteCancellation()
    super.cancel()
    _ = withContents { $0.queue.takeAll() }
    if let waiter { resume(waiter, nil) }
    _ = failure
  }
}

@usableFromInline @inline(never)
func stopAtSharedIterator() -> Never {
  stopProgram(
    "Two tasks are awaiting the next value from the same iterator of a publisher's values. Only one task at a time can use "
      + "an iterator. Iterate over `values` in each task instead, so that each task has its own subscription.")
}
