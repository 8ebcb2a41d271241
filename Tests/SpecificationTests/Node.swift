import Streams

/// A subscription of the model.
protocol ModelSubscription: AnyObject {
  func request(_ demand: Demand)
  func cancel()
}

/// A subscriber of the model, which may have several publishers, with a number each.
protocol ModelSubscriber: AnyObject {
  func receive(subscription: any ModelSubscription, as upstream: Int)
  func receive(_ value: Int, from upstream: Int)
  func receive(ending: Ending, from upstream: Int)
}

/// The virtual time of a scheduler: actions run in the order of their dates and, for equal dates, in that in which they were
/// scheduled.
final class ModelTimeline {
  final class Action {
    let date: Int
    let run: () -> Void
    init(date: Int, run: @escaping () -> Void) { (self.date, self.run) = (date, run) }
  }

  private(set) var now = 0
  private(set) var actions: [Action] = []

  func schedule(at date: Int, _ run: @escaping () -> Void) -> Action {
    let action = Action(date: max(date, now), run: run)
    actions.insert(action, at: actions.firstIndex { $0.date > action.date } ?? actions.endIndex)
    return action
  }

  func remove(_ action: Action) { actions.removeAll { $0 === action } }

  func advance(by duration: Int) {
    let target = now + duration
    while let action = actions.first, action.date <= target {
      actions.removeFirst()
      now = action.date
      action.run()
    }
    now = target
  }
}

/// One operator at work for one subscriber: carries out what its specification says.
final class Node: ModelSubscriber, ModelSubscription {
  private let model: Model
  private let sources: [Chain]
  private var specification: any Specification
  private let downstream: any ModelSubscriber
  private let place: Int

  private struct Upstream {
    var subscription: (any ModelSubscription)?
    /// Indicates whether it is cancelled as soon as its subscription arrives.
    var isDisregarded = false
    /// What was requested before the subscription arrived.
    var demand = Demand.none
  }

  private var upstreams: [Int: Upstream] = [:]
  private var timers: [Int: ModelTimeline.Action] = [:]
  private var demand = Demand.none
  private var lastValue: Int?
  /// What is done one after the other: signals, and what an operator does after it has sent a value.
  private var waiting: [Effect] = []
  private var isDelivering = true
  private var hasBegun = false
  private var blocks = 0
  private var next: [(Chain, Int)] = []
  private var isSubscribing = false
  /// A last value that follows once the subscription that it comes from has been made.
  private var resultOfSubscribing: Int?
  /// Indicates whether the subscription of the first source is passed on.
  private var passes = false
  private var isOver = false
  private var isCancelled = false

  init(
    _ specification: any Specification, of sources: [Chain], _ downstream: any ModelSubscriber, _ place: Int,
    _ model: Model
  ) {
    (self.specification, self.sources, self.downstream, self.place) = (specification, sources, downstream, place)
    self.model = model
  }

  private var timeline: ModelTimeline? { model.timeline(specification.clock) }

  private var context: Context {
    Context(
      demand: demand, now: timeline?.now ?? 0, isImmediate: timeline == nil, running: Set(upstreams.keys),
      isCancelled: isCancelled,
      returnsDemand: isDelivering && hasBegun && model.freedom.returnsDemand(demand))
  }

  /// Releases what would otherwise be a cycle.
  func dispose() {
    upstreams = [:]
    timers = [:]
  }

  func start() {
    let effects = specification.start(context)
    let passes = effects.contains { if case .pass = $0 { true } else { false } }
    perform(effects)
    if isOver || !passes && !specification.subscribesOnClock { begin() }
  }

  private func begin() {
    guard !hasBegun, !isCancelled else { return }
    hasBegun = true
    isDelivering = false
    downstream.receive(subscription: self, as: place)
    deliver()
  }

  // MARK: What happens

  func receive(subscription: any ModelSubscription, as upstream: Int) {
    guard upstreams[upstream] != nil, !isOver else { return subscription.cancel() }
    upstreams[upstream]!.subscription = subscription
    if upstreams[upstream]!.isDisregarded {
      upstreams[upstream] = nil
      return subscription.cancel()
    }
    if passes, upstream == 0 { begin() }
    if upstream == 0 { perform(specification.connected(context)) }
    guard let current = upstreams[upstream], current.subscription === subscription else { return }
    let demand = current.demand
    guard demand != .none else { return }
    upstreams[upstream]!.demand = .none
    subscription.request(demand)
  }

  func receive(_ value: Int, from upstream: Int) {
    guard let source = upstreams[upstream], !source.isDisregarded, !isOver, !isCancelled else { return }
    perform(specification.receive(value, from: upstream, context))
  }

  func receive(ending: Ending, from upstream: Int) {
    guard let source = upstreams.removeValue(forKey: upstream), !source.isDisregarded else { return }
    if isOver || isCancelled { return }
    perform(specification.end(ending, from: upstream, context))
  }

  func request(_ demand: Demand) {
    guard !isCancelled else { return }
    if isDelivering, hasBegun, self.demand == .unlimited, model.freedom.absorbsDemand { return }
    self.demand += demand
    if let value = lastValue {
      lastValue = nil
      finish(with: value)
    } else if !isOver {
      perform(specification.request(demand, context))
    } else if model.freedom.passesLateRequests, !upstreams.isEmpty {
      isOver = false
      perform(specification.request(demand, context).filter { if case .request = $0 { true } else { false } })
      isOver = true
    }
  }

  func cancel() {
    guard !isCancelled else { return }
    isCancelled = true
    waiting = []
    lastValue = nil
    guard specification.subscribesOnClock, let timeline else { return stop() }
    _ = timeline.schedule(at: timeline.now) { [unowned self] in stop() }
  }

  private func fire(_ action: Int) {
    guard !isOver else { return }
    timers[action] = nil
    perform(specification.fire(action, context))
  }

  // MARK: What is done

  private func perform(_ effects: [Effect]) {
    guard !isOver else { return }
    // What will be subscribed to counts as running, and can be requested from; what will be sent uses up demand.
    for effect in effects {
      switch effect {
      case .send:
        precondition(demand != .none, "\(specification) sends a value that was not requested")
        demand -= 1
      case .pass: upstreams[0] = Upstream()
      case .subscribe(_, let upstream), .subscribeInner(_, let upstream): upstreams[upstream] = Upstream()
      default: break
      }
    }
    var followsValue = false
    var first: [Effect] = []
    for effect in effects {
      switch effect {
      case .send: followsValue = true
      case .end:
        isOver = true
        if !followsValue || model.freedom.cancelsFirst { stop() }
        followsValue = true
      case .finish(let value):
        if isSubscribing, specification.isSuccession {
          resultOfSubscribing = value
          continue
        }
        stop()
        if demand != .none { finish(with: value) } else { lastValue = value }
        continue
      default: break
      }
      if followsValue { waiting.append(effect) } else { first.append(effect) }
    }
    // What is done first may lead to values, which are delivered after those that have been decided on.
    blocks += followsValue ? 1 : 0
    for effect in model.freedom.requestsBackwards ? first.reversed() : first { perform(effect) }
    blocks -= followsValue ? 1 : 0
    deliver()
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .send(let value): downstream.receive(value, from: place)
    case .end(let ending):
      stop()
      downstream.receive(ending: ending, from: place)
    case .finish: preconditionFailure("a value that waits for demand is not sent here")
    case .begin: begin()
    case .pass:
      passes = true
      subscribe(to: sources[0], as: 0)
    case .request(let demand, let upstream):
      guard demand != .none, !isOver else { return }
      if let subscription = upstreams[upstream]?.subscription, upstreams[upstream]!.demand == .none {
        subscription.request(demand)
      } else {
        upstreams[upstream]?.demand += demand
      }
    case .again: if !isOver { perform(specification.again(context)) }
    case .disregard(let upstream):
      if let subscription = upstreams[upstream]?.subscription {
        upstreams[upstream] = nil
        subscription.cancel()
      } else {
        upstreams[upstream]?.isDisregarded = true
      }
    case .cancel(let upstream):
      if specification.subscribesInClosure, isSubscribing {
        upstreams[upstream]?.isDisregarded = true
      } else {
        upstreams.removeValue(forKey: upstream)?.subscription?.cancel()
      }
    case .subscribe(let source, let upstream):
      subscribe(to: sources[source], as: upstream)
    case .subscribeInner(let chain, let upstream):
      subscribe(to: chain, as: upstream)
    case .arm(let action, let date):
      guard !isOver else { return }
      guard let timeline else { return fire(action) }
      timers[action] = timeline.schedule(at: date) { [unowned self] in fire(action) }
    case .disarm(let action): timers.removeValue(forKey: action).map { timeline!.remove($0) }
    case .schedule(let action):
      guard let timeline else { return fire(action) }
      _ = timeline.schedule(at: timeline.now) { [unowned self] in fire(action) }
    }
  }

  /// Operators that subscribe to one publisher after the other do so in a loop, since each may end at once.
  private func subscribe(to chain: Chain, as upstream: Int) {
    next.append((chain, upstream))
    guard !isSubscribing || !specification.isSuccession else { return }
    isSubscribing = true
    while !next.isEmpty {
      let (chain, upstream) = next.removeFirst()
      guard upstreams[upstream] != nil, !isOver else { continue }
      model.subscribe(self, as: upstream, to: chain)
    }
    isSubscribing = false
    if specification.subscribesInClosure, isOver || upstreams[0]?.isDisregarded == true { perform(.cancel(0)) }
    if let value = resultOfSubscribing.take() { perform([.finish(with: value)]) }
  }

  private func finish(with value: Int) {
    isOver = true
    waiting += [.send(value), .end(.finished)]
    deliver()
  }

  /// Cancels what is still running.
  private func stop() {
    isOver = true
    if specification.subscribesInClosure, isSubscribing { return }
    let running = upstreams.sorted { $0.key < $1.key }
    upstreams = [:]
    for timer in timers.values { timeline!.remove(timer) }
    timers = [:]
    for (_, upstream) in running { upstream.subscription?.cancel() }
  }

  private func deliver() {
    guard !isDelivering, blocks == 0 else { return }
    isDelivering = true
    while !waiting.isEmpty { perform(waiting.removeFirst()) }
    isDelivering = false
  }
}
