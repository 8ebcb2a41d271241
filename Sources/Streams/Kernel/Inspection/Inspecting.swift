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

extension DemandSource {
  func inspect(_ tell: StreamFact.Tell) {
    withLock { state, key in
      tell(.demand, Int(bitPattern: state.demand.rawValue), nil)
      if state.hasBeenRequested { tell(.requested, 0, nil) }
      if isOver { tell(.over, 0, nil) } else if role.isHeld(key) { tell(.delivering, 0, nil) }
      if let work = state.work { tell(.sender, 0, work.sender) }
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
      if let work = state.work { tell(.sender, 0, work.sender) }
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
