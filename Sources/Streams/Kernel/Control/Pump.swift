public import Synchronization

/// The subscription of a source that produces on demand.
///
/// `produce` is made where the subscriber's type is known, so that it runs specialised. It is called when there is
/// demand, by one thread at a time, and takes demand in batches until ``nextBatch()`` returns `nil`. Requests from
/// inside a delivery, or from other threads meanwhile, add to the next batch: the stack does not grow.
@usableFromInline
final class Pump: Locked<Pump.State>, Subscription {
  @usableFromInline
  struct State {
    @usableFromInline var demand = Subscribers.Demand.none
    @usableFromInline var isProducing = false
    @usableFromInline var produce: ((Pump) -> Void)?
  }

  @usableFromInline
  let hasEnded = Atomic(false)

  @usableFromInline
  init(_ produce: @escaping (Pump) -> Void) { super.init(State(produce: produce)) }

  /// Whether nothing more is to be produced; looked at before every value.
  @inlinable
  var isOver: Bool { hasEnded.load(ordering: .relaxed) }

  /// What has been asked for since the last batch, or `nil` when there is nothing to do.
  @usableFromInline
  func nextBatch() -> Subscribers.Demand? {
    withLock { state in
      guard state.demand != .none, !isOver else {
        state.isProducing = false
        return nil
      }
      defer { state.demand = state.demand == .unlimited ? .unlimited : .none }
      return state.demand
    }
  }

  /// Records that the source is exhausted; returns false when it was cancelled before, and nothing is to be sent.
  @usableFromInline
  func finish() -> Bool { !hasEnded.exchange(true, ordering: .relaxed) }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    demand.requirePositive()
    let produce: ((Pump) -> Void)? = withLock { state in
      if isOver { return nil }
      state.demand += demand
      if state.isProducing { return nil }
      state.isProducing = true
      return state.produce
    }
    guard let produce else { return }
    produce(self)
    if isOver { release() }
  }

  @usableFromInline
  func cancel() {
    hasEnded.store(true, ordering: .relaxed)
    release()
  }

  /// Lets go of the subscriber, unless it is being served: then whoever serves it does so afterwards.
  private func release() {
    _ = withLock { state in state.isProducing ? nil : state.produce.take() }
  }
}
