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
    @usableFromInline var work: Work?
  }

  /// What produces; in a struct, because a bare closure that comes out of generic code is wrapped each time.
  @usableFromInline
  struct Work {
    let produce: (Pump) -> Void
  }

  @usableFromInline
  let hasEnded = Atomic(false)

  @usableFromInline
  init(_ produce: @escaping (Pump) -> Void) { super.init(State(work: Work(produce: produce))) }

  /// Whether nothing more is to be produced; looked at before every value.
  @inlinable
  var isOver: Bool { hasEnded.load(ordering: .relaxed) }

  /// What has been asked for since the last batch, or `nil` when there is nothing to do.
  @usableFromInline
  func nextBatch() -> Subscribers.Demand? {
    let (batch, _) = withLock { state -> (Subscribers.Demand?, Work?) in
      if isOver { return (nil, state.work.take()) }
      guard state.demand != .none else {
        state.isProducing = false
        return (nil, nil)
      }
      defer { if state.demand != .unlimited { state.demand = .none } }
      return (state.demand, nil)
    }
    return batch
  }

  /// Records that the source is exhausted; returns false when it was cancelled before, and nothing is to be sent.
  @usableFromInline
  func finish() -> Bool {
    let (isNews, _) = withLock { state in
      (!hasEnded.exchange(true, ordering: .relaxed), state.work.take())
    }
    return isNews
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    demand.requirePositive()
    let work: Work? = withLock { state in
      if isOver { return nil }
      state.demand += demand
      if state.isProducing { return nil }
      state.isProducing = true
      return state.work
    }
    work?.produce(self)
  }

  @usableFromInline
  func cancel() {
    // Whoever produces lets go of the subscriber when it notices; else this does.
    _ = withLock { state in
      hasEnded.store(true, ordering: .relaxed)
      return state.isProducing ? nil : state.work.take()
    }
  }
}
