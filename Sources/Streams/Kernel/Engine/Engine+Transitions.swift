extension Engine {
  /// Indicates whether the engine delivers only in work that a scheduler runs.
  package var deliversOnScheduler: Bool { traits.contains(.deliversOnScheduler) }

  // MARK: The subscription

  @usableFromInline
  package func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    // The first request usually arrives while a branch is held back.
    let found = lock(expecting: traits.contains(.lendsTurn) ? .turn : .free)
    addDemand(demand)
    conclude(found)
  }

  /// Adds to the demand. Called under the lock.
  package func addDemand(_ more: Subscribers.Demand) {
    guard phase != .over else { return }
    demand += more
    handleUnderLock { requested(more, &$0) }
  }

  @usableFromInline
  package func cancel() {
    if traits.contains(.lendsTurn) { return leave() }
    let found = lock()
    end()
    conclude(found)
  }

  package func storable(_ subscription: any Subscription) -> SubscriptionObject { subscription._object.object }

  package func cancelUnwanted(_ subscription: SubscriptionObject) { perform(.cancel(subscription)) }

  /// Ends the stream. Called under the lock.
  package func end() {
    guard phase != .over else { return }
    phase = .over
    handleUnderLock { tearDown(&$0) }
  }

  // MARK: Transitions

  /// Handles an element from a source. Returns whether the element has been taken from its address.
  @usableFromInline
  package func receive(_ element: UnsafeMutableRawPointer, from slot: Int) -> Bool {
    if traits.contains(.makesElements) {
      // A closure that captured `self` would retain the engine.
      let engine = Unmanaged.passUnretained(self)
      return withUnsafeTemporaryAllocation(byteCount: size.bytes, alignment: 16) { place in
        engine._withUnsafeGuaranteedRef { $0.receive(element, from: slot, making: place.baseAddress) }
      }
    }
    if traits.contains(.timesElements) {
      return withUnsafePointer(to: time) { receive(element, from: slot, at: $0) }
    }
    return receive(element, from: slot, making: nil)
  }

  @inline(__always)
  private func receive(
    _ element: UnsafeMutableRawPointer, from slot: Int, at time: UnsafePointer<Instant>? = nil,
    making made: UnsafeMutableRawPointer? = nil
  ) -> Bool {
    let context = carriesContext ? captureContext() : nil
    let found = lock()
    var reaction = Reaction(
      self, found, element, canPass: canPass(found), in: context.map { .passUnretained($0) }, at: time, making: made)
    if phase == .running { received(from: slot, &reaction) }
    let isTaken = commit(reaction)
    extendLifetime(context)
    return isTaken
  }

  /// Returns whether an element may be delivered as soon as the lock is released.
  @inline(__always)
  func canPass(_ found: Word) -> Bool {
    found == .free && demand == .unlimited && queue.isEmpty && !traits.contains(.deliversOnScheduler) && !isTrampoline
  }

  /// Ends a transition: releases the lock, and carries out what the reaction asks for. Returns whether the element that arrived
  /// has been taken.
  @inline(__always)
  func commit(_ reaction: consuming Reaction) -> Bool {
    if let element = reaction.direct {
      assert(actions.isEmpty, "a transition that passes an element on asks for an action")
      unlock(.turn)
      // Demand is unlimited, so nothing can be added to it.
      _ = send(element)
      if !endTurn(lends: traits.contains(.lendsTurn)) { deliver() }
    } else if reaction.found != .free || hasWork(false) || !actions.isOnlyScheduling {
      conclude(reaction.found)
    } else {
      // The most frequent actions are carried out here, at a lower cost.
      let (timer, delivers) = (actions.timer.take(), actions.delivers)
      actions.delivers = false
      unlock(.free)
      if let timer { schedule(.timer(timer)) }
      if delivers { schedule(.delivery) }
    }
    return reaction.arrived == nil
  }

  /// Makes a transition for a signal other than an element. Calls the closure only while the stream is running.
  package func transition(_ signal: Signal, _ change: (inout Reaction) -> Void) {
    if traits.contains(.timesSignals), needsTime(of: signal) {
      withUnsafePointer(to: time) { transition(at: $0, change) }
    } else {
      transition(at: nil, change)
    }
  }

  private func transition(at time: UnsafePointer<Instant>?, _ change: (inout Reaction) -> Void) {
    let context = carriesContext ? captureContext() : nil
    let found = traits.contains(.lendsTurn) ? lockAsSender() : lock()
    var reaction = Reaction(self, found, in: context.map { .passUnretained($0) }, at: time)
    if phase == .running { change(&reaction) }
    conclude(found)
    extendLifetime(context)
  }

  /// Handles the subscription of a source.
  @usableFromInline
  package func connect(_ subscription: any Subscription, to slot: Int) {
    let object = storable(subscription)
    var demand: Subscribers.Demand?
    transition(.subscription) { demand = connected(object, from: slot, &$0) }
    guard let demand else { return cancelUnwanted(object) }
    // Not deferred at a trampoline: a fresh subscription doesn't have a long chain attached to it yet, and values sent before
    // the request would be lost.
    if demand != .none { subscription.request(demand) }
  }

  /// Handles the completion of a source.
  @usableFromInline
  package func endSource(_ slot: Int, _ error: (any Error)?) {
    transition(.completion) { sourceEnded(slot, error.map { .failure($0) } ?? .finished, &$0) }
  }

  /// Opens a slot for a source created from an element of another source. Returns `nil` if the source isn't wanted.
  @usableFromInline
  package func openSlot() -> Int? {
    var slot: Int?
    transition(.subscription) { slot = openSlot(&$0) }
    return slot
  }

  /// If nothing is in the way, delivers the only element of a source without opening a slot: takes the element from its
  /// address, and returns the demand for the outer source.
  @usableFromInline
  package func deliverOnly(_ element: UnsafeMutableRawPointer) -> Subscribers.Demand? {
    let context = carriesContext ? captureContext() : nil
    let found = lock()
    var reaction = Reaction(self, found, element, canPass: canPass(found), in: context.map { .passUnretained($0) })
    let more = phase == .running && reaction.canPass ? replacement : nil
    if more != nil { reaction.emit() }
    _ = commit(reaction)
    extendLifetime(context)
    return more
  }

  /// Makes the transition that a scheduler was asked to run.
  @usableFromInline
  package func run(_ work: ScheduledWork) {
    if traits.contains(.timesSignals), case .timer = work, needsTime(of: .timer) {
      withUnsafePointer(to: time) { run(work, at: $0) }
    } else {
      run(work, at: nil)
    }
  }

  @inline(__always)
  private func run(_ work: ScheduledWork, at time: UnsafePointer<Instant>?) {
    var firedTimer: TimerObject?
    let found = lock()
    var reaction = Reaction(self, found, at: time)
    switch work {
    case _ where phase == .over: break
    case .timer(let number): firedTimer = fired(number, &reaction)
    case .delivery:
      isScheduled = false
      deliveryBegins(&reaction)
      reaction.setCompletionReady()
    }
    if found == .free, actions.isEmpty, !isTrampoline, hasWork(true) {
      // The most frequent case, at a lower cost.
      deliverReady()
    } else {
      conclude(found, onScheduler: true)
    }
    extendLifetime(firedTimer)
  }

  /// Handles an event that is part of a transition.
  @inline(__always)
  func handleUnderLock(_ change: (inout Reaction) -> Void) {
    assert(isLocked, "a part of a transition is handled without the lock")
    var reaction = Reaction(self, .free)
    change(&reaction)
  }

  /// Ends a transition: releases the lock, carries out the actions, and delivers what is ready, unless another thread has
  /// the turn, or only a scheduler's work may take it.
  package func conclude(_ found: Word, onScheduler: Bool = false) {
    let takesTurn = hasWork(onScheduler) && (!found.hasTurn || handover.takeOver())
    let isDeferred = isTrampoline && phase != .over
    let left = found.afterTransition(takingTurn: takesTurn)
    if actions.isEmpty {
      if takesTurn, !isDeferred { return deliverReady() }
      unlock(left)
    } else {
      let actions = self.actions.take()
      unlock(left)
      perform(actions)
    }
    guard takesTurn else { return }
    if isDeferred { trampoline(.down) { self.deliver() } } else { deliver() }
  }

  // MARK: Actions

  /// Carries out the actions of a transition. Called without the lock.
  package func perform(_ actions: consuming Actions) {
    if let first = actions.first { perform(first) }
    for action in actions.others { perform(action) }
    if let timer = actions.timer { schedule(.timer(timer)) }
    if actions.delivers { schedule(.delivery) }
  }

  /// Adds an action to the current transition. Called under the lock.
  func add(_ action: Action) { actions.append(action) }

  /// Adds a report if the number of waiting elements has reached the limit. Called in assertions, under the lock.
  func notes(waiting count: Int) -> Bool {
    if count == StreamWarnings.waitingLimit { add(.reportWaiting) }
    return true
  }

  private func perform(_ action: Action) {
    switch action {
    case .request(let subscription, let demand):
      if isTrampoline { trampoline(.up) { subscription.request(demand) } } else { subscription.request(demand) }
    case .cancel(let subscription):
      if isTrampoline { trampoline(.up) { subscription.cancel() } } else { subscription.cancel() }
    case .disarm(let timer): timer.cancel()
    case .release: break
    case .reportWaiting: reportWaiting()
    }
  }
}
