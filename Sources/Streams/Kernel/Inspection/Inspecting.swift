// What the parts of a live stream tell when they are inspected, each under its own lock.

extension UpstreamLink {
  func inspect(_ tell: StreamFact.Tell) {
    withLock { state in
      if isWaiting {
        tell(.unconnected, 0, nil)
      } else if isForwarding {
        tell(.upstream, 0, state.subscription)
      } else {
        tell(.over, 0, nil)
      }
      inspectContents(state, tell)
    }
  }
}

extension BroadcastSubscription {
  final func inspectBranch(_ state: UpstreamLink.State, _ tell: StreamFact.Tell) {
    guard state.upstream == .broadcast else { return }
    tell(.demand, Int(bitPattern: delivery.demand.rawValue), nil)
    if delivery.mistake == .none || delivery.mistake == .busyLoop { tell(.requested, 0, nil) }
    if delivery.isStale { tell(.stale, 0, nil) }
    if delivery.phase != .running { tell(delivery.phase == .over ? .over : .finishing, 0, nil) }
    guard let branch = delivery.branch else { return }
    tell(.sender, 0, branch)
    if let counter = branch.counter { tell(.sent, 0, counter) }
    if let backlog = branch.backlog {
      tell(.waiting, backlog.versions.count, nil)
      tell(.capacity, backlog.versions.capacity, nil)
    }
    tell(.owner, 0, branch.owner)
    tell(.upstream, 0, branch.subscribers)
  }
}

extension SubscriberList {
  func inspect(_ tell: StreamFact.Tell) {
    withLock { state, key in
      tell(.subscribers, list.count - list.gaps, nil)
      if state.hasDemand { tell(.requested, 0, nil) }
      if replay == .newestAndDelivered { tell(.published, 0, nil) }
      if state.phase != .running { tell(.over, 0, nil) } else if role.isHeld(key) { tell(.delivering, 0, nil) }
      for upstream in state.upstreams.prefix(StreamFact.maxSources) { tell(.upstream, 0, upstream as AnyObject) }
    }
  }
}

extension OldEngine {
  func inspect(_ tell: StreamFact.Tell) {
    withLock { state, key in
      tell(.machine, 0, machine)
      tell(.demand, Int(bitPattern: machine.demand.rawValue), nil)
      if machine.isFinishing { tell(machine.isOver ? .over : .finishing, 0, nil) }
      let isDelivering = role.isHeld(key)
      if isDelivering { tell(.delivering, 0, nil) }
      tell(.waiting, machine.waiting, nil)
      if var outlet = state.outlet {
        if carriesContext { outlet = unsafeDowncast(outlet, to: ContextOutlet.self).elements }
        tell(.capacity, outlet.capacity, nil)
        tell(.senderType, unsafeBitCast(type(of: outlet), to: Int.self), nil)
        // Only a thread that holds the role may access the subscriber, and none can take the role now.
        if !isDelivering, let subscriber = outlet.subscriber { tell(.subscriber, 0, StreamFact.Box(subscriber)) }
      }
      machine.inspect(tell)
    }
  }
}

extension OldEngine {
  /// Returns the name of the operator if it limits the demand of a source, and the subscriber behind it unless a thread
  /// is delivering.
  func limit(of slot: OldMachine.Slot) -> (operatorName: String?, subscriber: Any?) {
    withLock { state, key in
      let name = machine.limitingOperator(of: slot)
      guard !role.isHeld(key), var outlet = state.outlet else { return (name, nil) }
      if carriesContext { outlet = unsafeDowncast(outlet, to: ContextOutlet.self).elements }
      return (name, outlet.subscriber)
    }
  }
}

extension DemandSource {
  func inspect(_ tell: StreamFact.Tell) {
    withLock { state, key in
      tell(.demand, Int(bitPattern: state.demand.rawValue), nil)
      if state.hasBeenRequested { tell(.requested, 0, nil) }
      if isOver { tell(.over, 0, nil) } else if role.isHeld(key) { tell(.delivering, 0, nil) }
      if let work = state.work {
        tell(.sender, 0, StreamFact.capturedObject(unsafeBitCast(work, to: (UInt, UnsafeRawPointer?).self)))
      }
    }
  }
}

extension SingleValueSource {
  func inspect(_ tell: StreamFact.Tell) {
    let membership: FutureMembership? = withLock { state in
      if state.isRequested { tell(.requested, 0, nil) }
      if state.isReady { tell(.result, 0, nil) }
      if state.isOver { tell(.over, 0, nil) }
      let membership = state.upstream as? FutureMembership
      if membership == nil, let upstream = state.upstream { tell(.upstream, 0, upstream) }
      if let work = state.work {
        tell(.sender, 0, StreamFact.capturedObject(unsafeBitCast(work, to: (UInt, UnsafeRawPointer?).self)))
      }
      return membership
    }
    if let membership { tell(membership.isHopeless ? .abandoned : .promised, 0, nil) }
  }
}

extension TaskDemandSource {
  func inspect(_ tell: StreamFact.Tell) {
    withLock { state in
      tell(.sender, 0, self)
      tell(.demand, Int(bitPattern: state.demand.rawValue), nil)
      if isOver { tell(.over, 0, nil) }
      if state.hasBegun { tell(state.waiter != nil ? .taskWaits : .task, 0, nil) }
    }
  }
}

extension SlotTable {
  /// Tells the sources that are attached, as far as they are found without looking at more than a bounded number of
  /// places: a table that has been large may have few sources left.
  func inspect(_ tell: StreamFact.Tell) {
    var told = 0
    let isComplete = forEach(inFirst: 16 * StreamFact.maxSources) { subscription in
      tell(.upstream, told, subscription)
      told += 1
      return told < min(StreamFact.maxSources, liveCount)
    }
    if !isComplete, told < liveCount { tell(.others, liveCount - told, nil) }
  }
}

extension SingleSource {
  func inspect(slot: OldMachine.Slot, _ tell: StreamFact.Tell) {
    tell(isLive ? .upstream : .ended, slot.number, subscription)
  }
}
