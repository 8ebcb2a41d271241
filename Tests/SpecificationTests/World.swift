import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

/// Counts the objects that closures of a stream retain.
final class Ledger {
  var alive = 0
}

/// An object that a closure of a stream retains.
final class Token {
  private let ledger: Ledger
  init(_ ledger: Ledger) {
    self.ledger = ledger
    ledger.alive += 1
  }
  deinit { ledger.alive -= 1 }
  func touch(_ value: Int) -> Int { value }
  func check(_ value: Int) throws -> Int { if isRefused(value) { throw Failed() } else { value } }
}

/// The library, with everything that a case needs.
final class World: Bench {
  private let test: Case
  private let observation: Observation
  let ledger = Ledger()
  private let schedulers = [DispatchQueue.test, DispatchQueue.test]
  private let erased: [AnySchedulerOf<DispatchQueue>]
  private var subjects: [Int: any Streams.Subject<Int, Failed>] = [:]
  private var sources: [any Source] = []
  private var promises: [Int: (Result<Int, Failed>) -> Void] = [:]
  private var sharedStreams: [AnyPublisher<Int, Failed>] = []
  private(set) var probes: [Int: ProbeRecord] = [:]
  private(set) var publisher: AnyPublisher<Int, Failed>!
  private var subscribers: [Observer] = []
  private let start: [DispatchQueue.SchedulerTimeType]

  init(_ test: Case, _ observation: Observation) {
    (self.test, self.observation) = (test, observation)
    erased = schedulers.map { $0.eraseToAnyScheduler() } + [DispatchQueue.immediate.eraseToAnyScheduler()]
    start = schedulers.map(\.now)
    for (number, kind) in test.sources.enumerated() {
      switch kind {
      case .subject(let kind):
        let subject = Self.subject(kind)
        subjects[number] = subject
        sources.append(subject)
      case .sequence(let values, .finished):
        sources.append(values.publisher.setFailureType(to: Failed.self))
      case .sequence(let values, .failed):
        sources.append(Record(output: values, completion: .failure(Failed())))
      case .just(let value): sources.append(Just(value).setFailureType(to: Failed.self))
      case .future:
        var promise: ((Result<Int, Failed>) -> Void)!
        sources.append(Future<Int, Failed> { promise = $0 })
        promises[number] = promise
      case .never: sources.append(Empty<Int, Failed>(completeImmediately: false))
      }
    }
    for shared in test.shared {
      let stream = shared.stream.publisher(in: self)
      switch shared.kind {
      case .passthrough: sharedStreams.append(stream.share().eraseToAnyPublisher())
      case .replay(let count): sharedStreams.append(stream.share(replay: count).eraseToAnyPublisher())
      case .current(let value):
        sharedStreams.append(stream.multicast { CurrentValueSubject(value) }.autoconnect().eraseToAnyPublisher())
      }
    }
    publisher = test.chain.publisher(in: self)
    observation.bench = self
  }

  private static func subject(_ kind: ModelSubject.Kind) -> any Streams.Subject<Int, Failed> {
    switch kind {
    case .passthrough: PassthroughSubject<Int, Failed>()
    case .current(let value): CurrentValueSubject<Int, Failed>(value)
    case .replay(let count): ReplaySubject<Int, Failed>(bufferSize: count)
    }
  }

  // MARK: For operators

  func token() -> Token { Token(ledger) }
  func source(_ number: Int) -> any Source { sources[number] }
  func shared(_ number: Int) -> any Source { sharedStreams[number] }

  func scheduler(_ clock: Clock) -> AnySchedulerOf<DispatchQueue> {
    switch clock {
    case .first: erased[0]
    case .second: erased[1]
    case .immediate: erased[2]
    }
  }

  func probe(_ number: Int) -> ProbeRecord {
    if probes[number] == nil { probes[number] = ProbeRecord() }
    return probes[number]!
  }

  /// For closures that make publishers, which a publisher in this world may retain.
  var inner: () -> World { { [unowned self] in self } }

  // MARK: Bench

  func perform(_ step: Step) {
    switch step {
    case .send(let value, let source):
      subjects[source]?.send(value)
      promises[source]?(.success(value))
    case .end(.finished, let source): subjects[source]?.send(completion: .finished)
    case .end(.failed, let source):
      subjects[source]?.send(completion: .failure(Failed()))
      promises[source]?(.failure(Failed()))
    case .request(let count): subscribers[0].subscription?.request(.max(count))
    case .cancel: subscribers[0].cancel()
    case .subscribe:
      let subscriber = Observer(subscribers.count, observation)
      subscribers.append(subscriber)
      publisher.subscribe(subscriber)
    }
  }

  func cancelAll() { for subscriber in subscribers { subscriber.cancel() } }

  func now(_ clock: Clock) -> Int {
    let number = clock == .first ? 0 : 1
    return start[number].distance(to: schedulers[number].now).magnitude / 1_000_000_000
  }

  func advance(_ clock: Clock) { schedulers[clock == .first ? 0 : 1].advance(by: .seconds(1)) }

  func schedule(at time: Int, _ action: @escaping () -> Void) {
    schedulers[0].schedule(after: start[0].advanced(by: .seconds(time)), action)
  }

  var pendingCounts: [Int] { schedulers.map(\.pendingCount) }

  /// Releases everything, and returns how many objects of closures are left.
  static func run(_ test: Case) -> (lines: [String], left: Int) {
    let observation = Observation(test)
    let ledger: Ledger
    do {
      let world = World(test, observation)
      ledger = world.ledger
      observation.run()
      observation.bench = nil
    }
    return (observation.lines, ledger.alive)
  }

  private final class Observer: Subscriber {
    private let number: Int
    private let observation: Observation
    private(set) var subscription: (any Subscription)?
    init(_ number: Int, _ observation: Observation) { (self.number, self.observation) = (number, observation) }

    func receive(subscription: any Subscription) {
      self.subscription = subscription
      let demand = observation.demand(subscriber: number)
      if demand != .none { subscription.request(demand) }
    }

    func receive(_ input: Int) -> Demand { observation.receive(input, subscriber: number) }

    func receive(completion: Subscribers.Completion<Failed>) {
      subscription = nil
      observation.note(completion == .finished ? "finished" : "failed", subscriber: number)
    }

    func cancel() {
      subscription?.cancel()
      subscription = nil
    }
  }
}
