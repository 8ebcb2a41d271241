import StreamAlgorithms
import Streams

/// The specification, with everything that a case needs.
final class Model: Bench {
  private let test: Case
  private let observation: Observation
  private let timelines = [ModelTimeline(), ModelTimeline()]
  private var subjects: [Int: ModelSubject] = [:]
  private var hubs: [ModelHub] = []
  private(set) var probes: [Int: ProbeRecord] = [:]
  private var subscribers: [Observer] = []
  /// What is disposed of at the end.
  private var objects: [AnyObject] = []

  let freedom: Freedom

  init(_ test: Case, _ observation: Observation, _ freedom: Freedom) {
    (self.test, self.observation, self.freedom) = (test, observation, freedom)
    for (number, kind) in test.sources.enumerated() {
      switch kind {
      case .subject(let kind): subjects[number] = ModelSubject(kind)
      case .future: subjects[number] = ModelSubject(.replay(1))
      case .sequence, .just, .never: break
      }
    }
    for shared in test.shared { hubs.append(ModelHub(shared.kind, shared.stream, self)) }
    observation.bench = self
  }

  func timeline(_ clock: Clock) -> ModelTimeline? {
    switch clock {
    case .first: timelines[0]
    case .second: timelines[1]
    case .immediate: nil
    }
  }

  func subscribe(_ downstream: any ModelSubscriber, as place: Int, to chain: Chain) {
    switch chain {
    case .source(let number):
      switch test.sources[number] {
      case .subject, .future: subjects[number]!.attach(downstream, place)
      case .sequence(let values, let ending): start(ModelSequence(values, ending, downstream, place))
      case .just(let value): start(ModelSequence([value], .finished, downstream, place))
      case .never: start(Node(Never(), of: [], downstream, place, self))
      }
    case .shared(let number): hubs[number].attach(downstream, place)
    case .apply(let probe as Probe, let source):
      let record = probes[probe.number, default: ProbeRecord()]
      probes[probe.number] = record
      let node = ModelProbe(record, downstream, place)
      objects.append(node)
      record.subscriptions += 1
      subscribe(node, as: 0, to: source)
    case .apply(let `operator`, let source): start(Node(`operator`, of: [source], downstream, place, self))
    case .combine(let `operator`, let a, let b): start(Node(`operator`, of: [a, b], downstream, place, self))
    case .erased(let source): subscribe(downstream, as: place, to: source)
    }
  }

  private struct Never: Specification {
    func start(_ context: Context) -> [Effect] { [] }
  }

  private func start(_ node: Node) {
    objects.append(node)
    node.start()
  }

  private func start(_ sequence: ModelSequence) {
    objects.append(sequence)
    sequence.start()
  }

  // MARK: Bench

  func perform(_ step: Step) {
    switch step {
    case .send(let value, let source):
      guard case .future = test.sources[source] else { return subjects[source]?.send(value) ?? () }
      if subjects[source]!.ending == nil { subjects[source]!.fulfill(value) }
    case .end(let ending, let source):
      if case .future = test.sources[source], ending == .finished { return }
      subjects[source]?.send(ending: ending)
    case .request(let count): subscribers[0].subscription?.request(.max(count))
    case .cancel: subscribers[0].cancel()
    case .subscribe:
      let subscriber = Observer(subscribers.count, observation)
      subscribers.append(subscriber)
      subscribe(subscriber, as: 0, to: test.chain)
    }
  }

  func cancelAll() { for subscriber in subscribers { subscriber.cancel() } }
  func now(_ clock: Clock) -> Int { timeline(clock)!.now }
  func advance(_ clock: Clock) { timeline(clock)!.advance(by: 1) }
  func schedule(at time: Int, _ action: @escaping () -> Void) { _ = timelines[0].schedule(at: time, action) }

  var pendingCounts: [Int] { timelines.map(\.actions.count) }

  static func run(_ test: Case, _ freedom: Freedom = Freedom()) -> [String] {
    let observation = Observation(test)
    let model = Model(test, observation, freedom)
    observation.run()
    observation.bench = nil
    for object in model.objects {
      (object as? Node)?.dispose()
      (object as? ModelProbe)?.dispose()
    }
    for hub in model.hubs { hub.dispose() }
    (model.objects, model.subscribers, model.subjects, model.hubs) = ([], [], [:], [])
    return withExtendedLifetime(model) { observation.lines }
  }

  private final class Observer: ModelSubscriber {
    private let number: Int
    private let observation: Observation
    private(set) var subscription: (any ModelSubscription)?
    init(_ number: Int, _ observation: Observation) { (self.number, self.observation) = (number, observation) }

    func receive(subscription: any ModelSubscription, as upstream: Int) {
      self.subscription = subscription
      let demand = observation.demand(subscriber: number)
      if demand != .none { subscription.request(demand) }
    }

    func receive(_ value: Int, from upstream: Int) {
      let more = observation.receive(value, subscriber: number)
      if more != .none { subscription?.request(more) }
    }

    func receive(ending: Ending, from upstream: Int) {
      subscription = nil
      observation.note("\(ending)", subscriber: number)
    }

    func cancel() {
      subscription?.cancel()
      subscription = nil
    }
  }
}
