/// Runs a ``Machine``: takes events in from any thread, and does what the machine decides.
///
/// It is the one place where signals of several sources meet, and where the rules for that are kept:
///
/// - A transition happens under the lock; what it decides is done outside.
/// - Steps upstream and to schedulers are done at once, by the thread that caused them.
/// - Deliveries are made by one *performer* at a time. A thread that finds one at work leaves its element in the outlet
///   and returns; the performer delivers it. Nobody waits, and a value that was stored earlier is delivered earlier.
/// - An element about which the machine need not be asked takes a direct path (``DirectPaths``).
/// - Machines that ``Machine/deliversOnScheduler`` have performers only in ``fired(_:)`` and ``drain()``.
///
/// The engine is also the subscription that downstream gets. It is not generic, so that a request or a cancellation
/// through `any Subscription` runs compiled code; what knows the element types is reached through ``AnyOutlet``.
///
/// Here are the events, and how sources are attached; in `Engine+Delivery.swift` is what follows from them, and in
/// `Engine+DirectPaths.swift` what elements do that take a direct path.
@usableFromInline
final class Engine: Locked<Engine.State>, Subscription {
  @usableFromInline
  struct State {
    var outlet: AnyOutlet?
    var isAttaching = false
    var attachesAgain = false
    /// How the role of the performer is handed on.
    var handover = Handover()

    init() {}
  }

  /// What decides; used only while the lock is held.
  @usableFromInline
  let machine: Machine

  /// Who delivers.
  @usableFromInline
  let performer = Performer()

  /// How many engines there are between this one and the end of the chain.
  let level: Int

  /// Whether this engine is a landing. Engines that are nested make flights of 64 levels, and the last level of a
  /// flight is its landing: what comes there while another landing of the thread is at work is put off, so that the
  /// stack can unwind. ``ThreadContext`` has a picture.
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
    // Not put off at a landing: nothing is attached to a fresh subscription yet that could be long, and what came
    // before the request would be lost.
    if demand != .none { subscription.request(demand) }
  }

  /// Reports an element that the caller stores, under the lock, if it is wanted.
  ///
  /// `combine` makes an output of it and of others that are kept; `displace` takes out the element whose place it
  /// takes.
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

  /// Reports that a timer has fired, of a machine that delivers as elements come; asks, as about an element of the slot, whether an
  /// output is due then. `combine` makes it, under the lock.
  @usableFromInline
  func fired(_ alarm: Alarm, from slot: Int, combine: (AnyOutlet) -> Void) {
    // Held meanwhile: the state may let go of it.
    guard let outlet = withLock({ $0.outlet }) else { return }
    var timer: TimerObject?
    update {
      if machine.isFinishing { return }
      timer = machine.fired(alarm)
      if machine.take(from: slot) == .completes { combine(outlet) }
    }
    _ = timer
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
    let performs = withLock { state in
      performer.disturb()
      machine.recording(in: &steps, change)
      let performs = machine.isReady && (performer.take() || state.handover.take())
      settle(&state, &garbage)
      return performs
    }
    if !steps.isEmpty { perform(&steps) }
    if let garbage { garbage.discard(for: self) }
    if performs { deliver() }
  }

  /// Works out what follows from a transition for the paths around the machine, and what can be let go of.
  @inline(__always)
  func settle(_ state: inout State, _ garbage: inout AnyOutlet?) {
    machine.settle(isLanding: isLanding)
    if machine.isOver, !performer.isAtWork { swap(&garbage, &state.outlet) }
  }

  /// Runs something while the lock is held.
  @inlinable @inline(__always)
  func guarded<Result: ~Copyable>(_ body: () -> Result) -> Result { withLock { _ in body() } }

  /// Whether nothing more will be delivered, so that a further source need not be attached.
  @usableFromInline
  var isOver: Bool { withLock { _ in machine.isOver } }

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
    guard beginAttaching() else { return }
    if let slot = open() { attach(slot) }
    endAttaching(attach)
  }

  /// Makes the caller the one who attaches sources, or has whoever does that attach one more.
  @usableFromInline
  func beginAttaching() -> Bool {
    withLock { state in
      defer { state.isAttaching = true }
      if state.isAttaching { state.attachesAgain = true }
      return !state.isAttaching
    }
  }

  /// Attaches the sources that were left to the caller while it attached one; then it is not the one any more who does that.
  @usableFromInline
  func endAttaching(_ attach: (Int) -> Void) {
    while true {
      let goesOn = withLock { state in
        state.isAttaching = state.attachesAgain
        state.attachesAgain = false
        return state.isAttaching
      }
      guard goesOn else { return }
      if let slot = open() { attach(slot) }
    }
  }

  /// Subscribes to a source, one level up.
  ///
  /// For sources that the operator was made of. However many of those are nested, their types have an end; chains that have
  /// none go through sources that are made while the stream lives (``attachNew(_:_:)``), or through erased publishers, and
  /// those see to it that the stack does.
  @inlinable @inline(__always)
  func attach<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure { nest(source, child) }

  /// Subscribes to a source that a closure has made, one level up.
  @inlinable @inline(__always)
  func attachNew<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure {
    // An erased publisher sees to it itself that chains without an end do not grow the stack, and nothing comes before a single
    // value. The compiler knows which it is.
    if isLanding, !(source is AnyPublisher<Source.Output, Source.Failure> || source is Just<Source.Output>) {
      landAttaching { [self] in nest(source, child) }
    } else {
      nest(source, child)
    }
  }

  /// Subscribes to a source, one level up.
  ///
  /// Never inlined, so that it is there once, and a function of its own: when all stages of a longer chain were inlined into
  /// the one function that subscribes, their nested borrows were more than Swift 6.3's optimiser can count, and it crashed.
  @inlinable @inline(never)
  func nest<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure {
    let place = enterSources()
    source.subscribe(child)
    place.leave()
  }

  /// Makes engines be one level up, until the place is left that this returns.
  @usableFromInline
  func enterSources() -> ThreadContext.Place { ThreadContext.enter(level: level + 1) }

  @usableFromInline
  func landAttaching(_ work: @escaping () -> Void) {
    // While this engine is being attached itself, the level is its own; else the source is there because of a signal.
    land(ThreadContext.level == level ? .up : .across, work)
  }

  func land(_ direction: ThreadContext.Direction, _ work: @escaping () -> Void) {
    ThreadContext.current.land(direction, work)
  }
}
