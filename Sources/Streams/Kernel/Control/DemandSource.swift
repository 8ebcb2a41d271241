public import Synchronization

/// The subscription to a source that produces values on demand.
///
/// `produce` is created where the subscriber's type is known, so it runs specialized code. It's called when there's demand, by
/// one thread at a time, and takes demand in batches until ``nextBatch()`` returns `nil`. Requests made during a delivery, by
/// this or another thread, add to the next batch, so the stack doesn't grow.
@usableFromInline
package final class DemandSource: Locked<DemandSource.State>, Subscription {
  @usableFromInline
  package struct State {
    var demand = Subscribers.Demand.none
    var work: Work?
    /// Indicates whether a thread is producing, or the subscription is still on its way.
    var isProducing: Bool
    /// The number of batches left before the producing thread offers its turn to other threads that request values.
    var burst = Burst(1)
    var handover = Handover()
    var hasBeenRequested = false
  }

  struct Work {
    /// The object that holds the subscriber, for inspection.
    let sender: AnyObject
    let produce: (DemandSource) -> Void
  }

  @usableFromInline
  package let hasEnded = Atomic(false)

  /// Creates a demand source. If `isHeld` is true, it doesn't produce anything until ``begin()`` is called.
  @usableFromInline
  package init(isHeld: Bool = false, of sender: AnyObject, _ produce: @escaping (DemandSource) -> Void) {
    super.init(State(work: Work(sender: sender, produce: produce), isProducing: isHeld))
  }

  /// Produces the values requested so far. Called when the subscriber has received its subscription, so signals don't overlap.
  @usableFromInline
  package func begin() {
    let (work, _) = withLock { state -> (Work?, Work?) in
      if isOver { return (nil, state.work.take()) }
      if state.demand != .none { return (state.work, nil) }
      state.isProducing = false
      return (nil, nil)
    }
    work?.produce(self)
  }

  /// Indicates whether values have been requested while the demand source is held. The caller may then produce them right away.
  @usableFromInline
  package var hasDemand: Bool { withLock { !isOver && $0.demand != .none } }

  /// Indicates whether nothing more is to be produced. Read before every value.
  @inlinable
  package var isOver: Bool { hasEnded.load(ordering: .relaxed) }

  /// Returns the demand to meet in the next batch, or `nil` if there's nothing to do or another thread has taken over.
  @usableFromInline
  package func nextBatch() -> Subscribers.Demand? {
    var burst = withLock { $0.burst }
    while true {
      switch withLock({ nextStep(&$0, &burst) }) {
      case .batch(let demand): return demand
      case .offer: if burst.losesTurn({ change in withLock { change(&$0.handover) } }) { return nil }
      case .none: return nil
      }
    }
  }

  /// The next step of the producing thread.
  private enum Step {
    case batch(Subscribers.Demand)
    case offer
    /// There's nothing to do. If there never will be, the work is released without the lock.
    case none(Work?)
  }

  private func nextStep(_ state: inout State, _ burst: inout Burst) -> Step {
    if isOver { return .none(state.work.take()) }
    guard state.demand != .none else {
      state.isProducing = false
      state.handover.end()
      return .none(nil)
    }
    if burst.countsLastDelivery(&state.handover), burst.offersTurn(&state.handover) { return .offer }
    state.burst = burst
    if state.demand == .unlimited { return .batch(.unlimited) }
    let batch = Swift.min(state.demand, .max(Burst.length))
    state.demand -= batch
    return .batch(batch)
  }

  /// Records that the source is exhausted. Returns false if it was cancelled before, in which case nothing may be sent.
  @usableFromInline
  package func finish() -> Bool {
    let (isFirst, _) = withLock { state in
      (!hasEnded.exchange(true, ordering: .relaxed), state.work.take())
    }
    return isFirst
  }

  @usableFromInline
  package func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    let work: Work? = withLock { state in
      if isOver { return nil }
      state.hasBeenRequested = true
      state.demand += demand
      if state.isProducing, !state.handover.takeOver() { return nil }
      state.isProducing = true
      state.burst = Burst(1)
      return state.work
    }
    work?.produce(self)
  }

  @usableFromInline
  package func cancel() {
    // A thread that's producing releases the subscriber when it notices the end. Otherwise, the subscriber is released here.
    _ = withLock { state in
      hasEnded.store(true, ordering: .relaxed)
      return state.isProducing ? nil : state.work.take()
    }
  }

  deinit { assert(noteUnusedSubscription(if: !isOver && !withLock { $0.hasBeenRequested })) }
}
