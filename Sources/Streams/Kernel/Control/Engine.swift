/// Runs a ``Machine``: takes events in from any thread, and does what the machine decides.
///
/// It is the one place where signals of several sources meet, and where the rules for that are kept:
///
/// - A transition happens under the lock; what it decides is done outside.
/// - Steps upstream and to schedulers are done at once, by the thread that caused them.
/// - Deliveries are made by one *performer* at a time. A thread that finds one at work leaves its element in the outlet
///   and returns; the performer delivers it. Nobody waits, and a value that was stored earlier is delivered earlier.
/// - An element that finds nobody at work, nothing waiting and demand unlimited goes straight through: two short locked
///   sections, no queue, no step (``beginDirect(from:)``, ``endDirect()``). The other direct paths, too, take an element
///   without asking the machine, which says with ``Machine/directSlots`` when it need not be asked.
/// - Machines that ``Machine/deliversOnScheduler`` have performers only in ``fired(_:)`` and ``drain()``.
///
/// The engine is also the subscription that downstream gets. It is not generic, so that a request or a cancellation
/// through `any Subscription` runs compiled code; what knows the element types is reached through ``AnyOutlet``.
@usableFromInline
final class Engine: Locked<Engine.State>, Subscription {
  @usableFromInline
  struct State {
    var outlet: AnyOutlet?
    @usableFromInline var isDelivering = false
    @usableFromInline var direct = DirectSlots.none
    var isAttaching = false
    var attachesAgain = false
    /// How the role of the performer is handed on.
    var handover = Handover()

    init() {}
  }

  /// What decides; used only while the lock is held.
  @usableFromInline
  let machine: Machine

  /// How many engines there are between this one and the end of the chain.
  let level: Int

  /// Whether this engine is a landing; see ``ThreadContext``.
  @usableFromInline
  let isLanding: Bool

  init(_ machine: Machine) {
    self.machine = machine
    level = ThreadContext.level
    isLanding = level % ThreadContext.flight == ThreadContext.flight - 1
    super.init(State())
  }

  @usableFromInline
  func install(_ outlet: AnyOutlet) { withLock { $0.outlet = outlet } }

  // MARK: Events

  @usableFromInline
  func connect(_ subscription: any Subscription, to slot: Int) {
    let object = subscription._object
    var demand: Subscribers.Demand?
    update {
      if !machine.isFinishing { demand = machine.connected(object, from: slot) }
    }
    guard let demand else { return callOff(object) }
    // Not put off at a landing: nothing is attached to a fresh subscription yet that could be long, and what came before the
    // request would be lost.
    if demand != .none { subscription.request(demand) }
  }

  /// Reports an element that the caller stores, under the lock, if it is wanted.
  ///
  /// `combine` makes an output of it and of others that are kept; `displace` takes out the element whose place it takes.
  @usableFromInline
  func receive(
    from slot: @autoclosure () -> Int, store: () -> Void, combine: () -> Void = {}, displace: () -> Void = {}
  ) {
    update {
      if machine.isFinishing { return }
      switch machine.take(from: slot()) {
      case .refused: break
      case .stored, .setAside: store()
      case .completes:
        store()
        combine()
      case .replaces:
        displace()
        store()
      }
    }
  }

  /// Reports the end of a source.
  ///
  /// `store` keeps its completion if something is to be made of it; `attach` attaches the source that follows, if one
  /// does.
  @usableFromInline
  func end(_ slot: @autoclosure () -> Int, failed: Bool, store: () -> Void = {}, attach: (Int) -> Void = { _ in }) {
    var ending = Ending.continues
    update {
      if machine.isFinishing { return }
      ending = machine.ended(slot(), failed: failed)
      if ending != .continues { store() }
    }
    if ending == .hasSuccessor { attachSources(attach) }
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    demand.requirePositive()
    update {
      if !machine.isOver { machine.requested(demand) }
    }
  }

  @usableFromInline
  func cancel() {
    update {
      if !machine.isOver { machine.end() }
    }
  }

  @usableFromInline
  func armed(_ alarm: Alarm, _ timer: TimerObject) {
    let isKept = withLock { _ in machine.armed(alarm, timer) }
    if !isKept { timer.cancel() }
  }

  /// Makes a transition of the machine, and does what it decides.
  @inline(__always)
  private func update(_ change: () -> Void) {
    var steps = Steps()
    var garbage: AnyOutlet?
    var released: SubscriptionObject?
    let performs = withLock { state in
      change()
      if machine.hasSteps { swap(&steps, &machine.steps) }
      swap(&released, &machine.released)
      let performs =
        !machine.deliversOnScheduler && machine.isReady && (!state.isDelivering || state.handover.take())
      if performs { state.isDelivering = true }
      settle(&state, &garbage)
      return performs
    }
    if !steps.isEmpty { perform(&steps) }
    if let garbage { garbage.discard(garbage, self) }
    if performs { deliver() }
  }

  /// Works out what follows from a transition for the paths around the machine, and what can be let go of.
  @inline(__always)
  private func settle(_ state: inout State, _ garbage: inout AnyOutlet?) {
    state.direct = !isLanding && machine.isUndisturbed ? machine.directSlots : .none
    if machine.isOver, !state.isDelivering { swap(&garbage, &state.outlet) }
  }

  /// Runs something while the lock is held.
  @inlinable @inline(__always)
  func guarded<Result: ~Copyable>(_ body: () -> Result) -> Result { withLock { _ in body() } }

  /// Whether nothing more will be delivered, so that a further source need not be attached.
  @usableFromInline
  var isOver: Bool { withLock { _ in machine.isOver } }

  // MARK: The straight path

  /// Whether an element of the slot may be delivered right now; the caller then delivers it and calls ``endDirect()``.
  @inlinable @inline(__always)
  func beginDirect(from slot: Int) -> Bool {
    withLock { state in
      if state.isDelivering || !state.direct.contains(slot) { return false }
      state.isDelivering = true
      return true
    }
  }

  @inlinable @inline(__always)
  func endDirect() {
    let isUndisturbed = withLock { state in
      if state.direct == .none { return false }
      state.isDelivering = false
      return true
    }
    if !isUndisturbed { deliver() }
  }

  /// Reports an element that may make an output together with others; `store` keeps it and `combine` makes the output,
  /// both under the lock.
  @inlinable @inline(__always)
  func combineDirect(from slot: Int, store: () -> Void, combine: () -> Void) -> Combination {
    withLock { state in
      if state.isDelivering || state.direct == .none { return .refused }
      let reception = machine.received(from: slot)
      if reception == .refused { return .incomplete }
      store()
      guard reception == .completes else { return .incomplete }
      combine()
      state.isDelivering = true
      // What the machine has recorded besides is done when the output has been delivered.
      if machine.isFinishing { state.direct = .none }
      return .complete
    }
  }

  /// Puts an element behind those that wait, if the machine need not be asked.
  @inlinable @inline(__always)
  func queueDirect(store: () -> Void) -> Queueing {
    withLock { state in
      guard state.direct == .queue else { return .refused }
      store()
      machine.waiting &+= 1
      if machine.isDrainScheduled { return .queued }
      machine.isDrainScheduled = true
      return .queuedFirst
    }
  }

  /// Puts an element behind those that wait, if the machine need not be asked; `store` says whether a timer is to be armed
  /// for it. Then it is the caller's to arm it and to call ``armed(_:_:)``.
  @inlinable @inline(__always)
  func dateDirect(store: () -> Alarm?) -> (isTaken: Bool, alarm: Alarm?) {
    withLock { state in
      guard state.direct == .date else { return (false, nil) }
      machine.waiting &+= 1
      return (true, store())
    }
  }

  /// Lets an element take the place of the one that waits, if the machine need not be asked.
  @inlinable @inline(__always)
  func replaceDirect(store: () -> Void) -> Bool {
    withLock { state in
      guard state.direct == .replace else { return false }
      store()
      machine.replacements &+= 1
      return true
    }
  }

  // MARK: What the machine decided

  @inline(__always)
  private func ask(_ subscription: SubscriptionObject, for demand: Subscribers.Demand) {
    if isLanding {
      land(.up) { subscription.request(demand) }
    } else {
      subscription.request(demand)
    }
  }

  @inline(__always)
  private func callOff(_ subscription: SubscriptionObject) {
    if isLanding {
      land(.up) { subscription.cancel() }
    } else {
      subscription.cancel()
    }
  }

  private func perform(_ steps: inout Steps) {
    while true {
      let step = steps.next()
      switch step.kind {
      case .none: return
      case .request:
        if let subscription = step.subscription { ask(subscription, for: step.demand) }
      case .cancel:
        if let subscription = step.subscription { callOff(subscription) }
      case .release: break
      case .arm: withLock { $0.outlet }?.schedule?(self, Alarm(number: step.number))
      case .drain: withLock { $0.outlet }?.schedule?(self, nil)
      case .disarm: step.timer?.cancel()
      }
    }
  }

  @usableFromInline @inline(never)
  func deliver() {
    guard !isLanding else { return land(.down) { self.deliverAll() } }
    deliverAll()
  }

  private func deliverAll() {
    // Held for the whole loop: the state may let go of it when the stream is cancelled from inside a delivery.
    guard let outlet = withLock({ $0.outlet }) else { return }
    var more: Subscribers.Demand?
    var turn = Turn()
    while true {
      var steps = Steps()
      var garbage: AnyOutlet?
      var isOffered = false
      let delivery: Delivery? = withLock { state in
        if let more, !machine.isOver {
          if more != .none { machine.requested(more) }
          machine.delivered()
        }
        // What a scheduler runs is not handed on, and has an end: it delivers what was due when it began.
        if !machine.deliversOnScheduler, !machine.hasSteps, machine.isReady, turn.isUp(&state.handover) {
          isOffered = turn.offers(&state.handover)
          if isOffered { return nil }
        }
        // Steps come first: a source that is asked for more may cancel, and then nothing more is delivered.
        let delivery = machine.hasSteps ? nil : machine.next()
        if machine.hasSteps { steps = machine.takeSteps() }
        if delivery == nil, steps.isEmpty {
          state.isDelivering = false
          state.handover.end()
        }
        settle(&state, &garbage)
        return delivery
      }
      if isOffered {
        if turn.isTaken({ change in withLock { change(&$0.handover) } }) { return }
        more = nil
        continue
      }
      if !steps.isEmpty {
        perform(&steps)
        if delivery == nil {
          more = nil
          continue
        }
      }
      guard let delivery else {
        if let garbage { garbage.discard(garbage, self) }
        return
      }
      let wanted = outlet.deliver(outlet, self, delivery)
      more = delivery == .element ? wanted : nil
    }
  }

  // MARK: Work that a scheduler runs

  /// A timer has fired, which stands for the one that was armed first.
  @usableFromInline
  func firedOldest() { fired(nil) }

  /// A timer has fired.
  @usableFromInline
  func fired(_ alarm: Alarm?) {
    var steps = Steps()
    var garbage: AnyOutlet?
    var timer: TimerObject?
    let outlet: Unmanaged<AnyOutlet>? = withLock { state in
      if machine.isOver { return nil }
      machine.fired(alarm)
      swap(&timer, &machine.forgotten)
      if machine.hasSteps { swap(&steps, &machine.steps) }
      settle(&state, &garbage)
      return beginOnScheduler(&state)
    }
    if !steps.isEmpty { perform(&steps) }
    if let outlet { deliverDue(outlet) }
  }

  /// What was to be done as soon as possible is done.
  @usableFromInline
  func drain() {
    let outlet: Unmanaged<AnyOutlet>? = withLock { state in
      if machine.isOver { return nil }
      machine.drained()
      return beginOnScheduler(&state)
    }
    if let outlet { deliverDue(outlet) }
  }

  /// Makes the caller the performer, if there is something to deliver and nobody at work; for a machine that is not over. While it is, the state keeps the
  /// outlet.
  @inline(__always)
  private func beginOnScheduler(_ state: inout State) -> Unmanaged<AnyOutlet>? {
    if state.isDelivering || machine.waiting == 0 && !machine.isFinishing { return nil }
    state.isDelivering = true
    return .passUnretained(state.outlet.unsafelyUnwrapped)
  }

  @inline(__always)
  private func deliverDue(_ outlet: Unmanaged<AnyOutlet>) {
    if isLanding { return deliver() }
    let more = outlet._withUnsafeGuaranteedRef { $0.deliver($0, self, .due) }
    if more != .none { deliver() }
  }

  // MARK: Attaching sources

  /// Makes a slot for a further source, unless none is wanted any more.
  @usableFromInline
  func open() -> Int? {
    var slot: Int?
    update {
      if !machine.isFinishing { slot = machine.open() }
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
      landAttaching { [self] in nest { source.subscribe(child) } }
    } else {
      nest { source.subscribe(child) }
    }
  }

  /// Runs what subscribes to a source, one level up.
  ///
  /// Not inlinable, so that the closure stays a function of its own: when all stages of a longer chain were inlined into
  /// the one function that subscribes, their nested borrows were more than Swift 6.3's optimiser can count, and it crashed.
  @usableFromInline
  func nest(_ subscribe: () -> Void) { ThreadContext.run(atLevel: level + 1, subscribe) }

  @usableFromInline
  func landAttaching(_ work: @escaping () -> Void) {
    // While this engine is being attached itself, the level is its own; else the source is there because of a signal.
    land(ThreadContext.level == level ? .up : .across, work)
  }

  private func land(_ direction: ThreadContext.Direction, _ work: @escaping () -> Void) {
    ThreadContext.current.land(direction, work)
  }
}

/// What became of an element that is put behind others.
@usableFromInline
enum Queueing {
  case queued
  /// It is the caller's to schedule a drain.
  case queuedFirst
  /// It has not been looked at.
  case refused
}

/// What became of an element that is put together with others.
@usableFromInline
enum Combination {
  /// It is the caller's to deliver what was made, and to call ``Engine/endDirect()``.
  case complete
  /// It waits for others.
  case incomplete
  /// It has not been looked at, since somebody is delivering, or demand is counted.
  case refused
}

extension Machine {
  /// Whether there is something to deliver.
  fileprivate var isReady: Bool {
    !isOver && (waiting > 0 || isFinishing)
  }

  fileprivate var isUndisturbed: Bool {
    !isFinishing && (deliversOnScheduler || demand == .unlimited && waiting == 0)
  }
}
