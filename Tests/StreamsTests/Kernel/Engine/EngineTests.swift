import Dispatch
import StreamAlgorithms
import StreamSchedulers
import SuiteSupport
import Testing

@testable import Streams

// `@testable`: an engine with machines of its own, for orders of transitions that no operator makes.

struct EngineTests {
  private typealias Inlet = Streams.Inlet<Int, Never>

  private func engine(_ count: Int, for downstream: Downstream) -> MergeEngine {
    MergeEngine(SubscriberReceiver(downstream), ElementLayout(Int.self), count: count)
  }

  /// A subscriber that requests what it is told, and keeps an object.
  private final class Downstream: Subscriber {
    var values: [Int] = []
    var completions = 0
    var onValue: (Int) -> Subscribers.Demand = { _ in .none }
    let demand: Subscribers.Demand

    init(_ demand: Subscribers.Demand = .unlimited) { self.demand = demand }

    func receive(subscription: any Subscription) { subscription.request(demand) }

    func receive(_ input: Int) -> Subscribers.Demand {
      values.append(input)
      return onValue(input)
    }

    func receive(completion: Subscribers.Completion<Never>) { completions += 1 }
  }

  @Test func `attaching sources leaves the thread at the level at which it was`() {
    let level = ThreadState.level
    [1].publisher.merge(with: [2].publisher).flatMap { [$0].publisher }.subscribe(Downstream())
    #expect(ThreadState.level == level)
  }

  /// A subscription that notes what is asked of it.
  private final class Upstream: Subscription {
    let name: String
    var log: [String] = []

    var onDeinit: () -> Void = {}

    init(_ name: String) { self.name = name }

    deinit { onDeinit() }

    func request(_ demand: Subscribers.Demand) { log.append("request \(demand.max.map(String.init) ?? "all")") }
    func cancel() { log.append("cancel") }
  }

  private func merge(_ downstream: Downstream) -> (engine: MergeEngine, inlets: [Inlet], upstreams: [Upstream]) {
    let engine = self.engine(2, for: downstream)
    let upstreams = [Upstream("a"), Upstream("b")]
    let inlets = (1...2).map { Inlet(engine, slot: $0) }
    for (inlet, upstream) in zip(inlets, upstreams) { inlet.receive(subscription: upstream) }
    return (engine, inlets, upstreams)
  }

  @Test func `an element that arrives during a delivery follows it, and so does what arrives during that`() {
    let downstream = Downstream()
    let (_, inlets, _) = merge(downstream)
    var isNested = false
    downstream.onValue = { value in
      #expect(!isNested)
      isNested = true
      if value < 4 { _ = inlets[value % 2].receive(value + 1) }
      isNested = false
      return .none
    }
    _ = inlets[0].receive(1)

    #expect(downstream.values == [1, 2, 3, 4])
  }

  @Test func `an element waits for demand, and its source is asked for another when it has been delivered`() {
    let downstream = Downstream(.max(1))
    let (engine, inlets, upstreams) = merge(downstream)
    _ = inlets[0].receive(1)
    _ = inlets[1].receive(2)
    #expect(downstream.values == [1])
    #expect(upstreams.map(\.log) == [["request 1", "request 1"], ["request 1"]])

    engine.request(.max(1))
    #expect(downstream.values == [1, 2])
    #expect(upstreams[1].log == ["request 1", "request 1"])
    engine.request(.unlimited)
    engine.request(.unlimited)
    #expect(upstreams.map(\.log.last) == ["request all", "request all"])
    #expect(upstreams[0].log.count { $0 == "request all" } == 1)
  }

  @Test func `a cancellation from inside a delivery drops what waits, and releases the subscriber`() {
    weak var released: Downstream?
    let engine: MergeEngine
    do {
      let downstream = Downstream()
      released = downstream
      let (made, inlets, upstreams) = merge(downstream)
      engine = made
      downstream.onValue = { _ in
        _ = inlets[1].receive(2)
        made.cancel()
        return .none
      }
      _ = inlets[0].receive(1)

      #expect(downstream.values == [1])
      #expect(upstreams.map(\.log.last) == ["cancel", "cancel"])
      downstream.onValue = { _ in .none }
      _ = inlets[0].receive(3)
      #expect(downstream.values == [1])
      #expect(downstream.completions == 0)
    }
    #expect(released == nil)
    engine.request(.max(1))
    engine.cancel()
  }

  @Test func `a second subscription of a source is cancelled, and so is one that comes after the end`() {
    let (engine, inlets, _) = merge(Downstream())
    let second = Upstream("second")
    inlets[0].receive(subscription: second)
    #expect(second.log == ["cancel"])

    engine.cancel()
    let late = Upstream("late")
    inlets[1].receive(subscription: late)
    #expect(late.log == ["cancel"])
  }

  @Test func `elements of a source that has ended are refused`() {
    let downstream = Downstream()
    let (_, inlets, _) = merge(downstream)
    inlets[0].receive(completion: .finished)
    _ = inlets[0].receive(1)
    inlets[0].receive(completion: .finished)
    #expect(downstream.values == [])
    #expect(downstream.completions == 0)

    inlets[1].receive(completion: .finished)
    #expect(downstream.completions == 1)
  }

  @Test func `an inspection is told the operator's name, the demand, and what waits`() {
    let downstream = Downstream(.max(1))
    let (engine, inlets, upstreams) = merge(downstream)
    for value in 0..<3 { _ = inlets[value % 2].receive(value) }
    engine.request(.max(1))
    func facts() -> [String] {
      var told: [String] = []
      engine.inspect { fact, number, object in
        switch fact {
        case .operatorName: told.append("\((object as? StreamFact.Box)?.content ?? "none")")
        case .demand, .waiting, .upstream: told.append("\(fact) \(number)")
        case .finishing, .over: told.append("\(fact)")
        default: break
        }
      }
      return told
    }
    #expect(facts() == ["merge", "demand 0", "waiting 1", "upstream 0", "upstream 1"])
    #expect(engine.limit(of: 1).operatorName == nil)

    for inlet in inlets { inlet.receive(completion: .finished) }
    #expect(facts() == ["merge", "demand 0", "finishing", "waiting 1"])
    engine.request(.max(2))
    #expect(facts() == ["merge", "demand 1", "over", "waiting 0"])
    #expect(downstream.values == [0, 1, 2])
    #expect(upstreams.map(\.log.last) == ["request 1", "request 1"])
  }

  @Test func `an inspection is told 64 sources, and how many others there are`() {
    let engine = self.engine(70, for: Downstream())
    let inlets = (1...70).map { Inlet(engine, slot: $0) }
    for inlet in inlets { inlet.receive(subscription: Upstream("")) }
    func facts() -> [Int] {
      var (told, others) = (0, 0)
      engine.inspect { fact, number, _ in
        if case .upstream = fact { told += 1 }
        if case .others = fact { others = number }
      }
      return [told, others]
    }
    #expect(facts() == [64, 6])
    inlets[0].receive(completion: .finished)
    #expect(facts() == [64, 5])
    for inlet in inlets[1..<6] { inlet.receive(completion: .finished) }
    #expect(facts() == [64, 0])
  }

  @Test func `the subscription of a source that has ended is released without the lock`() {
    let downstream = Downstream(.max(1))
    var (engine, inlets, upstreams) = merge(downstream)
    var releases = 0
    upstreams[0].onDeinit = {
      engine.request(.max(1))
      releases += 1
    }
    upstreams = []
    inlets[0].receive(completion: .finished)
    #expect(releases == 1)
    #expect(engine.demand == .max(2))
    inlets = []
    engine.cancel()
  }

  @Test func `a bound with an error does not fail a stream that has room`() {
    let source = PassthroughSubject<Int, TestError>()
    var completions: [Subscribers.Completion<TestError>] = []
    let sink = source.receive(on: DispatchQueue.immediate, bounded: 2, whenFull: .fail(.first))
      .sink(receiveCompletion: { completions.append($0) }, receiveValue: { _ in })
    source.send(1)
    source.send(completion: .finished)
    #expect(completions == [.finished])
    sink.cancel()
  }

  @Test func `the actions of a transition come in their order`() {
    var actions = Actions()
    var isEmpty = actions.isEmpty
    #expect(isEmpty)
    let upstreams = ["a", "b", "c"].map(Upstream.init)
    for upstream in upstreams { actions.append(.cancel(upstream)) }
    let taken = actions.take()
    isEmpty = actions.isEmpty && actions.others.isEmpty
    #expect(isEmpty)
    let all = [taken.first].compactMap { $0 } + taken.others
    let names = all.map { action -> String? in
      guard case .cancel(let upstream) = action else { return nil }
      return (upstream as? Upstream)?.name
    }
    #expect(names == ["a", "b", "c"])
  }

  @Test func `the last engine of each segment is a trampoline`() {
    let levels = (0..<3 * ThreadState.segment).filter { level in
      let outer = ThreadState.enter(level: level)
      defer { restoreSourceLevel(outer) }
      return self.engine(1, for: Downstream()).isTrampoline
    }

    #expect(levels == [63, 127, 191])
  }

  @Test func `a timer that was armed again is out of date`() {
    let engine = self.engine(1, for: Downstream())
    var timer = OnlyTimer()
    var reaction = Reaction(engine, .free)
    let (first, second) = (Upstream("first"), Upstream("second"))
    timer.arm(&reaction)
    #expect(timer.armed(1, first) == nil)
    let isOther = timer.fires(7)
    #expect(!isOther && timer.isArmed)
    let fires = timer.fires(1)
    #expect(fires && !timer.isArmed)
    // It has fired while it was being armed.
    #expect(timer.armed(1, first) === first)

    engine.withLock { _ = engine.actions.take() }
    timer.arm(&reaction)
    timer.disarm(&reaction)
    #expect(timer.armed(2, second) === second)
    let isDisarmed = !timer.fires(2)
    #expect(isDisarmed)
    engine.cancel()
  }

  /// An error whose deinit runs a closure.
  private final class FragileError: Error, @unchecked Sendable {
    let onDeinit: () -> Void

    init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }

    deinit { onDeinit() }
  }

  @Test func `a replaced error may send a request from its deinit`() {
    var subscription: (any Subscription)?
    var count = 0
    let failing = Deferred {
      Fail<Int, any Error>(
        error: FragileError {
          count += 1
          subscription?.request(.max(1))
        })
    }
    failing.retry(3).subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))

    #expect(count >= 3)
  }

  @Test func `a failure that another one displaces may send a request from its deinit`() {
    typealias Source = AnyPublisher<Int, any Error>
    var subscription: (any Subscription)?
    var count = 0
    let inner = PassthroughSubject<Int, any Error>()
    let engine = OrderedEngine(
      SubscriberReceiver(
        AnySubscriber<Int, any Error>(receiveSubscription: {
          subscription = $0
          $0.request(.unlimited)
        })), ElementLayout(Int.self), length: 2)
    let inlet = OuterInlet<Source, Source>(engine) { $0 }
    inlet.receive(subscription: Upstream("outer"))
    _ = inlet.receive(inner.eraseToAnyPublisher())
    inlet.receive(
      completion: .failure(
        FragileError {
          count += 1
          subscription?.request(.max(1))
        }))
    #expect(count == 0)
    inner.send(completion: .failure(TestError.first))

    #expect(count == 1)
  }

  @Test func `cancels sources in their order, however they are nested`() {
    var log: [String] = []
    func source(_ name: String) -> AnyPublisher<Int, Never> {
      PassthroughSubject<Int, Never>().handleEvents(receiveCancel: { log.append(name) }).eraseToAnyPublisher()
    }
    let inner = source("a").merge(with: source("b")).eraseToAnyPublisher()
    let middle = inner.merge(with: source("c")).eraseToAnyPublisher()
    middle.merge(with: source("d")).sink { _ in }.cancel()

    #expect(log == ["a", "b", "c", "d"])
  }

  @Test func `a completion that waits is not replaced by a further one`() {
    let scheduler = DispatchQueue.test
    let source = ManualSource<Int, TestError>()
    source.ignoresCancellation = true
    let recorder = record(source.receive(on: scheduler))
    source.send(1)
    source.finish()
    source.fail(.first)
    scheduler.run()

    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `a hundred thousand sources that end immediately follow one another without growing the stack`() {
    var count = 0
    let recorder = record(
      Deferred {
        count += 1
        return Empty<Int, Never>()
      }.repeat(100_001))

    #expect(count == 100_001)
    #expect(recorder.log == ["finished"])
  }
}
