// Engines whose elements carry their context: it is captured when an element is left to the drainer, and bound around its
// delivery.

extension OldEngine.State {
  /// Calls a closure with the contexts of the waiting elements, for an engine that ``OldEngine/carriesContext``, unless
  /// nothing more is delivered.
  @inline(__always)
  func withContexts<Result>(_ body: (ContextOutlet) -> Result?) -> Result? {
    guard let outlet else { return nil }
    return Unmanaged.passUnretained(outlet)._withUnsafeGuaranteedRef {
      body(unsafeDowncast($0, to: ContextOutlet.self))
    }
  }
}

extension OldEngine {
  /// Reports an element, with the context of the caller.
  @inline(never)
  func receiveInContext(
    from slot: OldMachine.Slot, store: () -> Void, combine: () -> Void, displace: () -> Void
  ) {
    let context = ContextSnapshot.captured(like: withLock { $0.withContexts(\.newest) })
    var displaced: ContextSnapshot?
    var isReported = false
    update { state, effects in
      if machine.isFinishing { return }
      defer { assert(notes(&isReported)) }
      displaced = state.withContexts { contexts in
        switch accept(machine.received(from: slot, &effects), store: store, combine: combine, displace: displace) {
        case .refused: return nil
        case .setAside: return contexts.setAside(context)
        case .stored, .completes:
          contexts.append(context, upTo: machine.waiting)
          return nil
        case .replaces:
          return contexts.replace(fromEnd: machine.unpromised, with: context)
        }
      }
    }
    _ = displaced
    if isReported { noteWaiting() }
  }

  /// The contexts of the waiting elements, if they are carried, for an operator that stores several elements at once, each
  /// with a context of its own.
  var contexts: ContextOutlet? { carriesContext ? withLock { $0.withContexts { $0 } } : nil }

  /// Calls a closure under the context in which downstream subscribed, if elements carry their context.
  @inline(__always)
  func inContextOfSubscription(_ body: () -> Void) {
    if carriesContext { runInContextOfSubscription(body) } else { body() }
  }

  @inline(never)
  private func runInContextOfSubscription(_ body: () -> Void) {
    ContextSnapshot.run(withLock { $0.withContexts(\.subscription) }, body)
  }

  /// Like ``deliverAll()``, and makes each delivery under its context. Deliveries that follow one another under the same
  /// context are made together, because binding a context costs more than a delivery.
  @inline(never)
  func deliverAllInContext(_ contexts: ContextOutlet) {
    var turn = Burst()
    var more: Subscribers.Demand?
    var waiting: Step?
    repeat {
      var bound: ContextSnapshot?
      if case .delivers(_, let context) = waiting { bound = context }
      ContextSnapshot.run(bound) {
        if let step = waiting.take() { carryOut(step, contexts, &more) }
        while true {
          guard let step = nextDelivery(&more, &turn, from: contexts) else {
            if turn.isOnOffer, !turn.isTaken({ change in withLock { change(&$0.handover) } }) { continue }
            return
          }
          if case .delivers(_, let context) = step, let context, context !== bound {
            waiting = step
            return
          }
          carryOut(step, contexts, &more)
        }
      }
    } while waiting != nil
  }
}
