/// Sends from one to many; behind subjects, `multicast`, `share` and `@Published`.
///
/// One thread at a time sends. A value that comes while another is being sent, from inside a delivery or from another
/// thread, is queued, and sent by whoever is sending: every subscriber sees the same values in the same order, and
/// nobody waits. Subscribers are served in the order in which they came.
///
/// With a `current` value, the broadcast replays it: a subscriber that asks gets the newest value at once, on its own
/// thread. Versions see to it that it gets no value twice and none out of order.
@usableFromInline
final class Broadcast<Output, Failure: Error>: Locked<BroadcastState<Output, Failure>> {
  /// Whether there is a current value that subscribers get when they ask.
  @usableFromInline let replays: Bool

  @inlinable
  init() {
    replays = false
    super.init(BroadcastState())
  }

  /// Makes a broadcast that replays its newest value.
  @inlinable
  init(current: Output) {
    var state = BroadcastState<Output, Failure>()
    state.current = current
    state.settled = current
    state.version = 0
    replays = true
    super.init(state)
  }

  deinit {
    for upstream in guardedState.upstreams { upstream.cancel() }
  }

  // MARK: Sending

  @inlinable
  func send(_ value: Output) {
    let (branches, version, _, _) = withLock { state -> ([Branch<Output, Failure>?]?, Int, Output?, Output?) in
      if state.completion != nil { return (nil, 0, nil, nil) }
      var displaced: Output?
      var unsettled: Output?
      if state.current != nil {
        displaced = state.current
        state.current = value
        state.version &+= 1
      }
      guard !state.isSending else {
        state.queue.append(.value(value, version: state.version))
        unsettled = state.settle(value, version: state.version)
        return (nil, 0, displaced, unsettled)
      }
      state.isSending = true
      return (state.branches, state.version, displaced, unsettled)
    }
    guard let branches else { return }
    deliver(value, version: version, to: branches)
    let (isDone, _) = withLock { state in
      let unsettled = state.settle(value, version: version)
      if state.queue.isEmpty { state.isSending = false }
      return (!state.isSending, unsettled)
    }
    if !isDone { sendQueued() }
  }

  @inlinable
  func send(completion: Subscribers.Completion<Failure>) {
    let sends = withLock { state in
      if state.completion != nil { return false }
      state.completion = completion
      state.queue.append(.completion)
      defer { state.isSending = true }
      return !state.isSending
    }
    if sends { sendQueued() }
  }

  @inlinable
  func deliver(_ value: Output, version: Int, to branches: [Branch<Output, Failure>?]) {
    // The array holds the branches, and nobody changes it while it is read: they are looked at without retaining each.
    branches.withUnsafeBytes { bytes in
      for branch in bytes.assumingMemoryBound(to: Unmanaged<Branch<Output, Failure>>?.self) {
        branch?._withUnsafeGuaranteedRef { $0.send(value, version: version) }
      }
    }
  }

  /// Sends what was queued meanwhile, and stops being the sender.
  @inlinable
  func sendQueued() {
    var sent: (value: Output, version: Int)?
    while true {
      let (signal, branches, upstreams, _) = withLock { state in
        let unsettled = sent.flatMap { state.settle($0.value, version: $0.version) }
        let signal = state.queue.popFirst()
        var branches = state.branches
        var upstreams: [any Subscription] = []
        if signal == nil { state.isSending = false }
        if case .completion = signal {
          swap(&upstreams, &state.upstreams)
          branches = state.removeAll()
        }
        return (signal, branches, upstreams, unsettled)
      }
      sent = nil
      switch signal {
      case nil: return
      case .value(let value, let version):
        deliver(value, version: version, to: branches)
        sent = (value, version)
      case .completion:
        for case let branch? in branches { branch.offer(branch, .completion) }
        for upstream in upstreams { upstream.cancel() }
      }
    }
  }

  // MARK: Subscribing

  @inlinable @inline(__always)
  func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
    let conduit = Conduit(subscriber, self)
    let gate = conduit.gate
    if let completion = add(conduit) {
      subscriber.receive(subscription: Subscriptions.empty)
      subscriber.receive(completion: completion)
    } else {
      // The gate counts as being served until now, so that nothing overtakes the subscription.
      subscriber.receive(subscription: gate)
      if !gate.begin() { conduit.catchUp() }
    }
  }

  /// Adds a branch, or returns the completion that came before it.
  @inlinable
  func add(_ branch: Branch<Output, Failure>) -> Subscribers.Completion<Failure>? {
    withLock { state in
      if let completion = state.completion { return completion }
      branch.gate.install(branch, hasRequested: state.hasDemand)
      branch.gate.position = state.branches.count
      state.branches.append(branch)
      return nil
    }
  }

  @inlinable
  func remove(_ gate: Gate) {
    _ = withLock { $0.remove(gate) }
  }

  // MARK: Upstream

  /// Takes the subscription of a publisher that a subject is attached to, and asks for everything once somebody wants
  /// something.
  @inlinable
  func attach(_ subscription: any Subscription) {
    let (isOver, isWanted) = withLock { state in
      if state.completion == nil { state.upstreams.append(subscription) }
      return (state.completion != nil, state.hasDemand)
    }
    if isOver {
      subscription.cancel()
    } else if isWanted {
      subscription.request(.unlimited)
    }
  }

  @inlinable
  func requested() {
    let upstreams: [any Subscription] = withLock { state in
      if state.hasDemand { return [] }
      state.hasDemand = true
      return state.upstreams
    }
    for upstream in upstreams { upstream.request(.unlimited) }
  }
}

/// What a broadcast's lock protects.
@usableFromInline
struct BroadcastState<Output, Failure: Error> {
  /// The branches in the order in which they came, with gaps where some have left.
  @usableFromInline var branches: [Branch<Output, Failure>?] = []
  @usableFromInline var gaps = 0
  @usableFromInline var queue = Ring<BroadcastSignal<Output>>()
  @usableFromInline var isSending = false
  @usableFromInline var completion: Subscribers.Completion<Failure>?
  @usableFromInline var upstreams: [any Subscription] = []
  @usableFromInline var hasDemand = false

  /// The newest value, which is replayed; `nil` when the broadcast does not replay.
  @usableFromInline var current: Output?

  /// Counts the values; `Int.max` when the broadcast does not replay, and no value is older than another.
  @usableFromInline var version = Int.max

  /// The newest value that everybody has received, or that was sent while another was being delivered.
  @usableFromInline var settled: Output?
  @usableFromInline var settledVersion = 0

  @inlinable
  init() {}

  /// Settles a value unless a newer one is; returns what it displaces.
  @inlinable
  mutating func settle(_ value: Output, version: Int) -> Output? {
    guard settled != nil, version > settledVersion else { return nil }
    let displaced = settled
    settled = value
    settledVersion = version
    return displaced
  }

  @inlinable
  mutating func remove(_ gate: Gate) -> Branch<Output, Failure>? {
    let position = gate.position
    guard position < branches.count, branches[position]?.gate === gate else { return nil }
    var removed: Branch<Output, Failure>?
    swap(&removed, &branches[position])
    gaps += 1
    if position == branches.count - 1 {
      branches.removeLast()
      gaps -= 1
    } else if gaps > 8, gaps * 2 > branches.count {
      branches.removeAll { $0 == nil }
      gaps = 0
      for (position, branch) in branches.enumerated() { branch!.gate.position = position }
    }
    return removed
  }

  @inlinable
  mutating func removeAll() -> [Branch<Output, Failure>?] {
    defer { branches = [] }
    return branches
  }
}

/// What a broadcast sends.
@usableFromInline
enum BroadcastSignal<Output> {
  case value(Output, version: Int)
  case completion
}

/// One subscriber of a broadcast, as the broadcast sees it.
///
/// The two closures capture nothing; they were made where the subscriber's type is known and get the branch as their
/// argument. So a value costs one call, no table is asked, and there is no cycle.
@usableFromInline
class Branch<Output, Failure: Error>: AnyBranch {
  @usableFromInline typealias Receive = (Branch<Output, Failure>, Output) -> Subscribers.Demand
  @usableFromInline typealias Offer = (Branch<Output, Failure>, BroadcastSignal<Output>) -> Void

  @usableFromInline final let gate: Gate
  /// Delivers a value, without asking whether it may.
  @usableFromInline final let receive: Receive
  /// Delivers a signal if the gate lets it pass, or leaves it for later.
  @usableFromInline final let offer: Offer

  @inlinable
  init(
    gate: Gate, receive: @escaping Receive, offer: @escaping Offer, catchUp: @escaping Action,
    requested: @escaping Action, detach: @escaping Action
  ) {
    self.gate = gate
    self.receive = receive
    self.offer = offer
    super.init(catchUp: catchUp, requested: requested, detach: detach)
  }

  @inlinable @inline(__always)
  final func send(_ value: Output, version: Int) {
    if gate.isOpen {
      if version > gate.delivered { _ = receive(self, value) }
    } else {
      offer(self, .value(value, version: version))
    }
  }
}

/// Joins a gate and a subscriber.
@usableFromInline
final class Conduit<Downstream: Subscriber>: Branch<Downstream.Input, Downstream.Failure> {
  @usableFromInline let downstream: Downstream
  @usableFromInline let broadcast: Broadcast<Downstream.Input, Downstream.Failure>

  /// Values that came while the subscriber was catching up; protected by the gate's lock.
  @usableFromInline @exclusivity(unchecked) var backlog = Ring<(value: Downstream.Input, version: Int)>()

  @inlinable
  init(_ downstream: Downstream, _ broadcast: Broadcast<Downstream.Input, Downstream.Failure>) {
    self.downstream = downstream
    self.broadcast = broadcast
    super.init(
      gate: Gate(isStale: broadcast.replays),
      receive: { unsafeDowncast($0, to: Conduit.self).downstream.receive($1) },
      offer: { unsafeDowncast($0, to: Conduit.self).offer($1) },
      catchUp: { unsafeDowncast($0, to: Conduit.self).catchUp() },
      requested: { unsafeDowncast($0, to: Conduit.self).broadcast.requested() },
      detach: { branch in
        let conduit = unsafeDowncast(branch, to: Conduit.self)
        conduit.broadcast.remove(conduit.gate)
      })
  }

  /// Delivers a signal if there is demand and nobody else is delivering.
  @inlinable
  func offer(_ signal: BroadcastSignal<Downstream.Input>) {
    let delivers = gate.withLock { state in
      if state.isOver { return false }
      switch signal {
      case .completion: state.isCompleting = true
      case .value(let value, let version):
        guard version > gate.delivered else { return false }
        if state.demand > backlog.count {
          backlog.append((value, version))
          state.hasBacklog = true
          // It is newer than what was missed. Were that replayed afterwards, it would overtake values that come meanwhile.
          state.isStale = false
        } else {
          state.isStale = version != Int.max
          return false
        }
      }
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    if delivers { catchUp() }
  }

  /// Delivers what waits. The caller has made itself the one who delivers.
  @inlinable
  func catchUp() {
    while true {
      let step = gate.withLock { nextStep(&$0) }
      let more: Subscribers.Demand
      switch step {
      case .stop: return
      case .drop: continue
      case .deliver(let value): more = downstream.receive(value)
      case .replay:
        guard let (value, version) = broadcast.currentValue, isNews(version) else { continue }
        more = downstream.receive(value)
      case .complete:
        _ = gate.close()
        if let completion = broadcast.completion { downstream.receive(completion: completion) }
        return
      }
      if more != .none { gate.withLock { $0.demand += more } }
    }
  }

  /// Whether the current value is newer than what was delivered; if not, its demand is given back.
  @inlinable
  func isNews(_ version: Int) -> Bool {
    gate.withLock { state in
      if version > gate.delivered {
        gate.delivered = version
        return true
      }
      state.demand += 1
      return false
    }
  }

  @inlinable
  func nextStep(_ state: inout Gate.State) -> CatchUpStep<Downstream.Input> {
    if state.isOver {
      state.isDelivering = false
      return .stop
    }
    if let (value, version) = backlog.popFirst() {
      guard version > gate.delivered else { return .drop(value) }
      if version != Int.max { gate.delivered = version }
      _ = state.demand.spend()
      return .deliver(value)
    }
    state.hasBacklog = false
    if state.isCompleting { return .complete }
    if state.isStale, state.demand.spend() {
      state.isStale = false
      return .replay
    }
    state.isDelivering = false
    gate.open(state)
    return .stop
  }
}

/// What a subscriber that catches up does next.
@usableFromInline
enum CatchUpStep<Value> {
  case stop
  case deliver(Value)
  /// The value has been overtaken; it dies outside the lock.
  case drop(Value)
  case replay
  case complete
}

extension Broadcast {
  @inlinable
  var currentValue: (Output, Int)? { withLock { state in state.current.map { ($0, state.version) } } }

  @inlinable
  var completion: Subscribers.Completion<Failure>? { withLock { $0.completion } }

  /// The newest value that everybody has received.
  @inlinable
  var settledValue: Output? { withLock { $0.settled } }
}
