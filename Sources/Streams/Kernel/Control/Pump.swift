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
    /// How many batches are produced before the role is offered to others who ask.
    var turn = Turn(1)
    var handover = Handover()
  }

  /// What produces; in a struct, because a bare closure that comes out of generic code is wrapped each time.
  @usableFromInline
  struct Work {
    let produce: (Pump) -> Void
  }

  @usableFromInline
  let hasEnded = Atomic(false)

  /// Makes one; what is held produces nothing before ``begin()``.
  @usableFromInline
  init(isHeld: Bool = false, _ produce: @escaping (Pump) -> Void) {
    super.init(State(isProducing: isHeld, work: Work(produce: produce)))
  }

  /// Produces what has been asked for meanwhile: the subscriber has its subscription now, so that signals do not overlap.
  @usableFromInline
  func begin() {
    let (work, _) = withLock { state -> (Work?, Work?) in
      if isOver { return (nil, state.work.take()) }
      state.isProducing = state.demand != .none
      return (state.isProducing ? state.work : nil, nil)
    }
    work?.produce(self)
  }

  /// Whether something has been asked for, while the pump is held: then the caller may go on to produce at once.
  @usableFromInline
  var hasDemand: Bool { withLock { !isOver && $0.demand != .none } }

  /// Whether nothing more is to be produced; looked at before every value.
  @inlinable
  var isOver: Bool { hasEnded.load(ordering: .relaxed) }

  /// What has been asked for since the last batch, up to a number that is produced in one go, or `nil` when there is nothing to
  /// do, or another thread does it.
  @usableFromInline
  func nextBatch() -> Subscribers.Demand? {
    while true {
      var offered: Turn?
      let (batch, _) = withLock { state -> (Subscribers.Demand?, Work?) in
        if isOver { return (nil, state.work.take()) }
        guard state.demand != .none else {
          state.isProducing = false
          state.handover.end()
          return (nil, nil)
        }
        if state.turn.isUp(&state.handover), state.turn.offers(&state.handover) {
          offered = state.turn
          return (nil, nil)
        }
        if state.demand == .unlimited { return (.unlimited, nil) }
        let batch = Swift.min(state.demand, .max(Turn.length))
        state.demand -= batch
        return (batch, nil)
      }
      guard var turn = offered else { return batch }
      if turn.isTaken({ change in withLock { change(&$0.handover) } }) { return nil }
      withLock { $0.turn = turn }
    }
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
      if state.isProducing, !state.handover.take() { return nil }
      state.isProducing = true
      state.turn = Turn(1)
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
