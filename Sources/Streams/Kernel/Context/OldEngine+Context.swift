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
    store: () -> Void, combine: () -> Void, displace: () -> Void,
    _ decide: (inout Effects) -> OldMachine.Reception
  ) {
    let context = ContextSnapshot.captured(like: withLock { $0.withContexts(\.newest) })
    switch leaveDirect(context, store) {
    case .refused: break
    case .taken: return
    case .takenToAct: return withLock { $0.outlet }?.schedule(.drain, for: self) ?? ()
    }
    var displaced: ContextSnapshot?
    var isReported = false
    update { state, effects in
      if machine.isFinishing { return }
      defer { assert(notes(&isReported)) }
      displaced = state.withContexts { contexts in
        switch accept(decide(&effects), store: store, combine: combine, displace: displace) {
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

  /// Leaves an element to a scheduler that delivers whatever waits, without asking the machine, which would decide nothing
  /// else. (The path of such elements is closed otherwise, because it is not for those with a context.)
  @inline(__always)
  private func leaveDirect(_ context: ContextSnapshot?, _ store: () -> Void) -> DirectPaths.Outcome {
    var isReported = false
    let outcome: DirectPaths.Outcome = withLock { state, _ in
      guard !machine.isFinishing, case .queue = machine.directPath.kind else { return .refused }
      store()
      _ = state.withContexts { $0.append(context) }
      assert(notes(&isReported))
      return machine.paths.leave()
    }
    if isReported { noteWaiting() }
    return outcome
  }

  /// Claims the next element that is due and its context, without asking the machine, which has nothing to do between two of
  /// them unless downstream has requested more.
  @inline(__always)
  private func nextDue(_ more: inout Subscribers.Demand?, from contexts: ContextOutlet) -> Step? {
    guard machine.deliversOnScheduler else { return nil }
    if let more, more != .none { return nil }
    var context: ContextSnapshot?
    let isDue = withLock { _, _ in
      guard machine.paths.takeDue() else { return false }
      context = contexts.take(for: .element)
      return true
    }
    guard isDue else { return nil }
    more = nil
    return .delivers(.element, context)
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
        if let step = waiting.take(), !carryOut(step, contexts, &more) { return }
        while true {
          guard let step = nextDue(&more, from: contexts) ?? nextDelivery(&more, &turn, from: contexts) else {
            if turn.isOnOffer, !turn.isTaken({ change in withLock { change(&$0.handover) } }) { continue }
            return
          }
          if case .delivers(_, let context) = step, let context, context !== bound {
            waiting = step
            return
          }
          if !carryOut(step, contexts, &more) { return }
        }
      }
    } while waiting != nil
  }
}
