/// Runs a ``Machine``: takes events in from any thread, and does what the machine decides.
///
/// It is the one place where signals of several sources meet, and where the rules for that are kept:
///
/// - A transition happens under the lock; what it decides is done outside.
/// - Steps upstream and to schedulers are done at once, by the thread that caused them.
/// - Deliveries are made by one *performer* at a time. A thread that finds one at work leaves its element in the outlet
///   and returns; the performer delivers it. Nobody waits, and a value that was stored earlier is delivered earlier.
/// - An element that finds nobody at work, nothing waiting and demand unlimited goes straight through: two short locked
///   sections, no queue, no step (``beginDirect(from:)``, ``endDirect(_:)``).
/// - Machines that ``Machine/deliversOnScheduler`` have performers only in ``fired(_:)``.
///
/// The engine is also the subscription that downstream gets. It is not generic, so that a request or a cancellation
/// through `any Subscription` runs compiled code; what knows the element types is reached through ``AnyOutlet``.
@usableFromInline
final class Engine: Locked<Engine.State>, Subscription {
  @usableFromInline
  struct State {
    let machine: Machine
    let isLanding: Bool
    var outlet: AnyOutlet?
    var isDelivering = false
    var direct = DirectSlots.none
    var isAttaching = false
    var attachesAgain = false
  }

  /// How many engines there are between this one and the end of the chain.
  let level: Int

  /// Whether this engine is a landing; see ``ThreadContext``.
  @usableFromInline
  let isLanding: Bool

  init(_ machine: Machine) {
    level = ThreadContext.current.level
    isLanding = level % ThreadContext.flight == ThreadContext.flight - 1
    super.init(State(machine: machine, isLanding: isLanding))
  }

  @usableFromInline
  func install(_ outlet: AnyOutlet) { withLock { $0.outlet = outlet } }

  // MARK: Events

  @usableFromInline
  func connect(_ subscription: any Subscription, to slot: Int) {
    update { machine in
      if machine.isOver || machine.isFinishing {
        machine.steps.cancel(subscription)
      } else {
        machine.connected(subscription, from: slot)
      }
    }
  }

  /// Reports an element that the caller stores, under the lock, if it is wanted.
  @usableFromInline
  func receive(from slot: Int, store: () -> Void, conclude: () -> Void = {}) {
    update { machine in
      if machine.isOver || machine.isFinishing { return }
      switch machine.received(from: slot) {
      case .refused: break
      case .stored: store()
      case .storedThenConcluded:
        store()
        conclude()
      case .replaces:
        conclude()
        store()
      }
    }
  }

  /// Reports the end of a source.
  ///
  /// `store` keeps its completion if something is to be made of it; `attach` attaches the source that follows, if one
  /// does.
  @usableFromInline
  func end(_ slot: Int, failed: Bool, store: () -> Void = {}, attach: (Int) -> Void = { _ in }) {
    var ending = Ending.continues
    update { machine in
      if machine.isOver || machine.isFinishing { return }
      ending = machine.ended(slot, failed: failed)
      if ending != .continues { store() }
    }
    if ending == .hasSuccessor { attachSources(attach) }
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    demand.requirePositive()
    update { machine in
      if !machine.isOver { machine.requested(demand) }
    }
  }

  @usableFromInline
  func cancel() {
    update { machine in
      if machine.isOver { return }
      machine.isOver = true
      machine.dismantle()
    }
  }

  @usableFromInline
  func armed(_ alarm: Alarm, _ cancellable: any Cancellable) {
    update { $0.armed(alarm, cancellable) }
  }

  @usableFromInline
  func fired(_ alarm: Alarm) {
    update(isScheduled: true) { machine in
      if !machine.isOver { machine.fired(alarm) }
    }
  }

  /// Makes any other transition of the machine.
  func update(isScheduled: Bool = false, _ change: (Machine) -> Void) {
    var steps = Steps()
    var garbage: AnyOutlet?
    let performs = withLock { state in
      let machine = state.machine
      change(machine)
      if machine.hasSteps { steps = machine.takeSteps() }
      let mayDeliver = isScheduled || !machine.deliversOnScheduler
      let performs = mayDeliver && !state.isDelivering && machine.isReady
      if performs { state.isDelivering = true }
      garbage = state.settle()
      return performs
    }
    if !steps.isEmpty { perform(steps) }
    if let garbage { garbage.discard(garbage, self) }
    if performs { deliver() }
  }

  /// Runs something while the lock is held.
  @inlinable @inline(__always)
  func guarded<Result>(_ body: () -> Result) -> Result { withLock { _ in body() } }

  /// Whether nothing more will be delivered, so that a further source need not be attached.
  @usableFromInline
  var isOver: Bool { withLock { $0.machine.isOver } }

  // MARK: The straight path

  /// Whether an element of the slot may be delivered right now; the caller then delivers it and calls ``endDirect(_:)``.
  @usableFromInline
  func beginDirect(from slot: Int) -> Bool {
    withLock { state in
      if state.isDelivering { return false }
      switch state.direct {
      case .none: return false
      case .all: break
      case .only(let only): if only != slot { return false }
      }
      state.isDelivering = true
      return true
    }
  }

  @usableFromInline
  func endDirect() {
    let isUndisturbed = withLock { state in
      if state.direct == .none { return false }
      state.isDelivering = false
      return true
    }
    if !isUndisturbed { deliver() }
  }

  // MARK: What the machine decided

  private func perform(_ steps: Steps) {
    guard !isLanding else { return ThreadContext.current.land { steps.forEach { self.perform($0) } } }
    steps.forEach { perform($0) }
  }

  private func perform(_ step: Step) {
    switch step {
    case .request(let demand, let subscription): subscription.request(demand)
    case .cancel(let cancellable): cancellable.cancel()
    case .arm(let alarm): withLock { $0.outlet }?.armTimer?(self, alarm)
    case .release: break
    }
  }

  private func deliver() {
    guard !isLanding else { return ThreadContext.current.land { self.deliverAll() } }
    deliverAll()
  }

  private func deliverAll() {
    // Held for the whole loop: the state may let go of it when the stream is cancelled from inside a delivery.
    guard let outlet = withLock({ $0.outlet }) else { return }
    var more: Subscribers.Demand?
    while true {
      var steps = Steps()
      var garbage: AnyOutlet?
      let delivery: Delivery? = withLock { state in
        let machine = state.machine
        if let more, !machine.isOver {
          if more != .none { machine.requested(more) }
          machine.delivered()
        }
        // Steps come first: a source that is asked for more may cancel, and then nothing more is delivered.
        let delivery = machine.hasSteps ? nil : machine.next()
        if machine.hasSteps { steps = machine.takeSteps() }
        if delivery == nil, steps.isEmpty { state.isDelivering = false }
        garbage = state.settle()
        return delivery
      }
      if !steps.isEmpty {
        perform(steps)
        if delivery == nil {
          more = nil
          continue
        }
      }
      switch delivery {
      case .element: more = outlet.deliver(outlet, self)
      case .completion, .substitute:
        outlet.complete(outlet, delivery == .substitute)
        more = nil
      case nil:
        if let garbage { garbage.discard(garbage, self) }
        return
      }
    }
  }

  // MARK: Attaching sources

  /// Makes a slot for a further source, unless none is wanted any more.
  @usableFromInline
  func open() -> Int? {
    var slot: Int?
    update { machine in
      if !machine.isOver, !machine.isFinishing { slot = machine.open() }
    }
    return slot
  }

  /// Attaches a source, and, for as long as one ends while it is being attached, the one that follows it.
  ///
  /// A loop, so that a hundred thousand sources that end at once do not grow the stack.
  @usableFromInline
  func attachSources(_ attach: (Int) -> Void) {
    let isFirst = withLock { state in
      defer { state.isAttaching = true }
      if state.isAttaching { state.attachesAgain = true }
      return !state.isAttaching
    }
    guard isFirst else { return }
    var goesOn = true
    while goesOn {
      if let slot = open() { attach(slot) }
      goesOn = withLock { state in
        state.isAttaching = state.attachesAgain
        state.attachesAgain = false
        return state.isAttaching
      }
    }
  }

  /// Subscribes to a source, one level up.
  @inlinable @inline(__always)
  func attach<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure {
    if isLanding {
      land { [self] in nest { source.subscribe(child) } }
    } else {
      nest { source.subscribe(child) }
    }
  }

  /// Runs what subscribes to a source, one level up.
  ///
  /// Not inlinable, so that the closure stays a function of its own: when all stages of a longer chain were inlined into
  /// the one function that subscribes, their nested borrows were more than Swift 6.3's optimiser can count, and it crashed.
  @usableFromInline
  func nest(_ subscribe: () -> Void) {
    let context = ThreadContext.current
    let outer = context.level
    context.level = level + 1
    subscribe()
    context.level = outer
  }

  @usableFromInline
  func land(_ work: @escaping () -> Void) { ThreadContext.current.land(work) }
}

extension Engine.State {
  /// Works out what follows from a transition for the paths around the machine, and returns what can be let go of.
  fileprivate mutating func settle() -> AnyOutlet? {
    direct = machine.isUndisturbed && !isLanding ? machine.directSlots : .none
    return machine.isOver && !isDelivering ? outlet.take() : nil
  }
}

extension Machine {
  /// Whether there is something to deliver.
  fileprivate var isReady: Bool {
    !isOver && (waiting > 0 || isFinishing)
  }

  fileprivate var isUndisturbed: Bool {
    demand == .unlimited && waiting == 0 && !isFinishing && !isOver && !deliversOnScheduler
  }
}
