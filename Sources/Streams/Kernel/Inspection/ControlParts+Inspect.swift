// The facts that the parts of a live stream tell an inspection, each part under its own lock.

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

extension DemandSource {
  func inspect(_ tell: StreamFact.Tell) {
    withLock { state in
      tell(.demand, Int(bitPattern: state.demand.rawValue), nil)
      if state.hasBeenRequested { tell(.requested, 0, nil) }
      if isOver { tell(.over, 0, nil) } else if state.isProducing { tell(.delivering, 0, nil) }
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
    membership?.inspect(tell)
  }
}
