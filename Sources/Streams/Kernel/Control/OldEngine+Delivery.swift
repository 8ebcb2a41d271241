// Carries out what the machine has decided: effects, done by the thread that caused them, and deliveries, made by one
// drainer at a time.

extension OldEngine {
  // MARK: Effects

  @inline(__always)
  private func requestUpstream(_ subscription: SubscriptionObject, for demand: Subscribers.Demand) {
    if isTrampoline {
      trampoline(.up) { subscription.request(demand) }
    } else {
      subscription.request(demand)
    }
  }

  @inline(__always)
  func cancelUpstream(_ subscription: SubscriptionObject) {
    if isTrampoline {
      trampoline(.up) { subscription.cancel() }
    } else {
      subscription.cancel()
    }
  }

  /// Carries out the effects of a transition. Never called under the lock.
  func perform(_ effects: inout Effects) {
    while true {
      let effect = effects.next()
      switch effect.kind {
      case .none: return
      case .request:
        if let subscription = effect.upstream { requestUpstream(subscription, for: effect.demand) }
      case .cancel:
        if let subscription = effect.upstream { cancelUpstream(subscription) }
      case .release: break
      }
    }
  }

  // MARK: Deliveries

  /// Delivers everything that is ready. The caller is the drainer, and no longer is when this returns.
  @usableFromInline @inline(never)
  func deliver() {
    guard !isTrampoline else { return trampoline(.down) { self.deliverAll() } }
    deliverAll()
  }

  private func deliverAll() {
    // Retained for the whole loop: the state may release it when the stream is cancelled from within a delivery.
    guard let outlet = withLock({ $0.outlet }) else { return }
    if carriesContext { return deliverAllInContext(unsafeDowncast(outlet, to: ContextOutlet.self)) }
    var more: Subscribers.Demand?
    DrainRole.drain { change in
      withLock { change(&$0.handover) }
    } _: { turn in
      guard let delivery = nextDelivery(&more, &turn) else { return turn.isOnOffer }
      carryOut(delivery, outlet, &more)
      return true
    }
  }

  /// What the drainer does next.
  enum Step {
    case delivers(OldMachine.Delivery, ContextSnapshot?)
    /// The transition has been carried out, and the drainer looks again.
    case looksAgain
  }

  /// Makes the transition that follows a delivery, and returns what the drainer does next; `nil` if it has offered its
  /// role, or if the role has ended.
  @inline(__always)
  func nextDelivery(
    _ more: inout Subscribers.Demand?, _ turn: inout Burst, from contexts: ContextOutlet? = nil
  ) -> Step? {
    var effects = Effects()
    var garbage: AnyOutlet?
    var context: ContextSnapshot?
    let delivery: OldMachine.Delivery? = withLock { state, key in
      if let more, !machine.isOver {
        if more != .none { machine.requested(more, &effects) }
        machine.delivered(&effects)
      }
      more = nil
      if effects.isEmpty, machine.isReady, turn.isOver(&state.handover), turn.offers(&state.handover) { return nil }
      // Effects come first: a source that receives a request may cancel, and then nothing more is delivered.
      let delivery = effects.isEmpty ? machine.next(&effects) : nil
      if delivery == nil, effects.isEmpty {
        role.end(key)
        state.handover.end()
      }
      if let contexts, let next = delivery {
        context = contexts.take(for: next)
      }
      finishTransition(&state, &garbage, key)
      return delivery
    }
    if turn.isOnOffer { return nil }
    if !effects.isEmpty {
      perform(&effects)
    } else if delivery == nil {
      if let garbage { release(garbage) }
      return nil
    }
    guard let delivery else { return .looksAgain }
    return .delivers(delivery, context)
  }

  /// Carries out what the drainer does next.
  @inline(__always)
  func carryOut(_ step: Step, _ outlet: AnyOutlet, _ more: inout Subscribers.Demand?) {
    guard case .delivers(let delivery, _) = step else { return }
    let wanted = outlet.deliver(delivery, for: self, DrainRole.Holder())
    if delivery == .element { more = wanted }
  }

  /// Releases an outlet that is no longer needed, with all that it holds.
  func release(_ outlet: AnyOutlet) {
    _ = outlet.deliver(.discard, for: self, DrainRole.Holder())
    _ = outlet.deliver(.release, for: self, DrainRole.Holder())
  }
}
