import StreamAlgorithms
import Streams

/// The values and the end of a source that sends them as they are requested.
final class ModelSequence: ModelSubscription {
  private var elements: ArraySlice<Int>
  private let ending: Ending
  private let downstream: any ModelSubscriber
  private let place: Int
  private var demand = Demand.none
  private var isSending = true
  private var isOver = false

  init(_ elements: [Int], _ ending: Ending, _ downstream: any ModelSubscriber, _ place: Int) {
    (self.elements, self.ending, self.downstream, self.place) = (elements[...], ending, downstream, place)
  }

  func start() {
    downstream.receive(subscription: self, as: place)
    isSending = false
    send()
  }

  func request(_ demand: Demand) {
    self.demand += demand
    send()
  }

  func cancel() { isOver = true }

  private func send() {
    guard !isSending else { return }
    isSending = true
    while !isOver, demand != .none, let value = elements.popFirst() {
      demand -= 1
      downstream.receive(value, from: place)
    }
    isSending = false
    if !isOver, elements.isEmpty {
      isOver = true
      downstream.receive(ending: ending, from: place)
    }
  }
}

/// What is not specified: what comes first of two things that concern different subscribers, when one of them happens in the
/// middle of the other. The signals to each subscriber keep their order.
struct Freedom {
  /// Whether what an operator does not need any more is cancelled before its last value is delivered.
  var cancelsFirst = false
  /// Whether what is requested while the last value is delivered is requested from upstream.
  var passesLateRequests = false
  /// Whether demand that arrives during a delivery counts as returned from it, which `subscribe(on:)` does not schedule:
  /// never, always, or if all is requested anyway.
  var returnedDemand = 0
  /// Whether demand that arrives during a delivery is ignored once everything is requested.
  var absorbsDemand = false
  /// Whether what an operator does at once, such as requesting from several publishers, is done in the opposite order.
  var requestsBackwards = false

  func returnsDemand(_ demand: Demand) -> Bool { returnedDemand == 1 || returnedDemand == 2 && demand == .unlimited }

  /// Every combination.
  static let all: [Freedom] = {
    let flags: [WritableKeyPath<Freedom, Bool>] = [
      \.cancelsFirst, \.passesLateRequests, \.absorbsDemand, \.requestsBackwards,
    ]
    var all = (0...2).map { Freedom(returnedDemand: $0) }
    for flag in flags {
      all += all.map {
        var other = $0
        other[keyPath: flag] = true
        return other
      }
    }
    return all
  }()
}

/// A subject, or what several subscribers share.
final class ModelSubject {
  enum Kind: Equatable, CustomDebugStringConvertible {
    /// Drops a value for a subscriber without demand.
    case passthrough
    /// Keeps the newest value for a subscriber without demand, and for new ones.
    case current(Int)
    /// Keeps some of the newest values.
    case replay(Int)

    var debugDescription: String {
      switch self {
      case .passthrough: ".passthrough"
      case .current(let value): ".current(\(value))"
      case .replay(let count): ".replay(\(count))"
      }
    }
  }

  private enum Signal {
    case value(Int)
    case ending(Ending)
    /// The value and the end of a future.
    case result(Int)
    case join(Branch)
  }

  final class Branch: ModelSubscription {
    fileprivate let subject: ModelSubject
    fileprivate let downstream: any ModelSubscriber
    fileprivate let place: Int
    fileprivate var demand = Demand.none
    /// The values that wait: those that are requested, and the newest ones beyond those.
    fileprivate var kept: [Int] = []
    fileprivate var ending: Ending?
    fileprivate var isSending = true
    fileprivate var isOver = false

    init(_ subject: ModelSubject, _ downstream: any ModelSubscriber, _ place: Int) {
      (self.subject, self.downstream, self.place) = (subject, downstream, place)
    }

    func request(_ demand: Demand) {
      guard !isOver else { return }
      self.demand += demand
      subject.hasDemand?()
      send()
    }

    func cancel() {
      guard !isOver else { return }
      isOver = true
      subject.remove(self)
      subject.hasLost?()
    }

    fileprivate func offer(_ value: Int) {
      if demand <= kept.count {
        if subject.limit == 0 { return }
        // As many as are requested are certain to be delivered.
        let beyond = (0...kept.count).first { demand <= $0 } ?? kept.count
        if kept.count - beyond >= subject.limit { kept.remove(at: beyond) }
      }
      kept.append(value)
      send()
    }

    fileprivate func end(_ ending: Ending) {
      self.ending = ending
      send()
    }

    fileprivate func send() {
      guard !isSending else { return }
      isSending = true
      while !isOver, demand != .none, !kept.isEmpty {
        demand -= 1
        downstream.receive(kept.removeFirst(), from: place)
      }
      isSending = false
      guard !isOver, let ending else { return }
      if case .replay = subject.kind, !kept.isEmpty { return }
      isOver = true
      downstream.receive(ending: ending, from: place)
    }
  }

  private let kind: Kind
  private var branches: [Branch] = []
  /// The values that new subscribers receive.
  private var stored: [Int]
  private(set) var ending: Ending?
  private var waiting: [Signal] = []
  private var isSending = false
  /// Something is requested.
  var hasDemand: (() -> Void)?
  /// A subscriber has cancelled.
  var hasLost: (() -> Void)?

  init(_ kind: Kind) {
    self.kind = kind
    stored = if case .current(let value) = kind { [value] } else { [] }
  }

  /// The number of values that are kept.
  private var limit: Int {
    switch kind {
    case .passthrough: 0
    case .current: 1
    case .replay(let count): count
    }
  }

  var isDeserted: Bool {
    branches.isEmpty && !waiting.contains { if case .join = $0 { true } else { false } }
  }

  /// Attaches a subscriber. While a value is being sent, it joins behind those that wait already.
  func attach(_ downstream: any ModelSubscriber, _ place: Int) {
    let branch = Branch(self, downstream, place)
    branch.ending = ending
    if case .current = kind, ending != nil {} else { branch.kept = stored }
    if ending == nil { if isSending { waiting.append(.join(branch)) } else { branches.append(branch) } }
    downstream.receive(subscription: branch, as: place)
    branch.isSending = false
    branch.send()
  }

  private func remove(_ branch: Branch) {
    branches.removeAll { $0 === branch }
    waiting.removeAll { if case .join(let joining) = $0 { joining === branch } else { false } }
  }

  func send(_ value: Int) {
    guard ending == nil else { return }
    stored = (stored + [value]).suffix(limit)
    send(.value(value))
  }

  func send(ending: Ending) {
    guard self.ending == nil else { return }
    self.ending = ending
    send(.ending(ending))
  }

  /// Fulfills a future.
  func fulfill(_ value: Int) {
    stored = (stored + [value]).suffix(limit)
    ending = .finished
    send(.result(value))
  }

  private func send(_ signal: Signal) {
    waiting.append(signal)
    guard !isSending else { return }
    isSending = true
    while !waiting.isEmpty {
      let next = waiting.removeFirst()
      if case .join(let branch) = next { branches.append(branch) }
      for branch in branches where !branch.isOver {
        switch next {
        case .join: break
        case .value(let value): branch.offer(value)
        case .ending(let ending): branch.end(ending)
        case .result(let value):
          branch.offer(value)
          branch.end(.finished)
        }
      }
    }
    isSending = false
    if ending != nil { branches = [] }
  }
}

/// Several subscribers of one subscription: `share()`, `share(replay:)`, and `multicast` with `autoconnect()`.
final class ModelHub: ModelSubscriber {
  private let model: Model
  private let kind: ModelSubject.Kind
  private let source: Chain
  private var subject: ModelSubject
  private var upstream: (any ModelSubscription)?
  private var isConnected = false
  private var connection = 0
  private var requests = false

  init(_ kind: ModelSubject.Kind, _ source: Chain, _ model: Model) {
    (self.kind, self.source, self.model) = (kind, source, model)
    subject = ModelSubject(kind)
  }

  func attach(_ downstream: any ModelSubscriber, _ place: Int) {
    subject.hasDemand = { [unowned self] in requestAll() }
    subject.hasLost = { [unowned self] in disconnectIfDeserted() }
    let connects = !isConnected && subject.ending == nil
    if connects {
      isConnected = true
      connection += 1
    }
    let number = connection
    subject.attach(downstream, place)
    if connects, isConnected, number == connection { model.subscribe(self, as: number, to: source) }
  }

  func dispose() {
    upstream = nil
    (subject.hasDemand, subject.hasLost) = (nil, nil)
  }

  private func requestAll() {
    guard !requests else { return }
    requests = true
    upstream?.request(.unlimited)
  }

  private func disconnectIfDeserted() {
    guard subject.isDeserted, isConnected, subject.ending == nil else { return }
    isConnected = false
    requests = false
    let former = upstream
    upstream = nil
    // `multicast` makes one subject.
    if case .current = kind {} else { subject = ModelSubject(kind) }
    former?.cancel()
  }

  func receive(subscription: any ModelSubscription, as upstream: Int) {
    guard isConnected, upstream == connection else { return subscription.cancel() }
    self.upstream = subscription
    if kind != .passthrough { requests = true }
    if requests { subscription.request(.unlimited) }
  }

  func receive(_ value: Int, from upstream: Int) { if upstream == connection { subject.send(value) } }
  func receive(ending: Ending, from upstream: Int) { if upstream == connection { subject.send(ending: ending) } }
}
