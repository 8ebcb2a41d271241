import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Synchronization

@testable import Streams

// `@testable`: the depth at which a trampoline begins, and the kernel's steps.

/// The signals that a subscriber receives, one after the other.
///
/// It uses no lock: what it records is ordered by the kernel, or else ThreadSanitizer reports a race. The explorer finds that
/// by itself, too: ``Order`` sees signals that overlap, and those that the kernel does not order.
final class Trace<Input, Failure: Error>: Subscriber, @unchecked Sendable {
  private(set) var signals: [String] = []
  private let subscription = Locked<(any Subscription)?>(nil)
  private let order = Order()
  private let initial: Subscribers.Demand
  var onValue: (Input) -> Subscribers.Demand = { _ in .none }

  init(_ demand: Subscribers.Demand = .unlimited) { initial = demand }

  private func note(_ signal: String, _ work: () -> Void = {}) {
    if !order.begin(after: signals.count) { signals.append("unordered") }
    signals.append(Epilogue.mark(signal))
    work()
    order.end(signals.count)
  }

  func receive(subscription: any Subscription) {
    self.subscription.withLock { $0 = subscription }
    if initial != .none { subscription.request(initial) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    var more = Subscribers.Demand.none
    note("\(input)") { more = onValue(input) }
    return more
  }

  func receive(completion: Subscribers.Completion<Failure>) { note("\(completion)") }

  func request(_ demand: Subscribers.Demand) { subscription.withLock { $0 }?.request(demand) }
  func cancel() { subscription.withLock { $0 }?.cancel() }

  var held: (any Subscription)? { subscription.withLock { $0 } }
  var text: String { signals.joined(separator: " ") }
}

/// Detects things that are done at the same time, or without an order: a load of any ordering may return an older value, unless
/// the one who stored the newest has passed its effects on.
struct Order: ~Copyable {
  private let count = Streams.Atomic(UInt(0))

  /// Begins the next thing. Returns `false` if the end of the one before is not seen.
  func begin(after count: Int) -> Bool { self.count.load(ordering: .relaxed) == UInt(count) }
  func end(_ count: Int) { self.count.store(UInt(count), ordering: .relaxed) }
}

/// The calls that ``Scenario/Instance/outcome`` makes after the threads have ended. What comes only then is marked, so that a
/// signal that waited for another to wake it is seen.
enum Epilogue {
  // Safe despite `nonisolated(unsafe)`: changed only while no thread runs, and ordered by the beginning of a run.
  nonisolated(unsafe) static var hasBegun = false

  static func mark(_ signal: String) -> String { hasBegun ? signal + "'" : signal }
  static func withoutMarks(_ outcome: String) -> String { outcome.filter { $0 != "'" } }
}

/// A publisher whose signals a thread sends by hand, as a foreign source does.
final class Source: Publisher, @unchecked Sendable {
  typealias Output = Int
  typealias Failure = Never

  // Unchecked: written once, before the run.
  private(set) var subscriber: AnySubscriber<Int, Never>?
  let requested = Locked(Subscribers.Demand.none)
  let cancelCount = Locked(0)

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    self.subscriber = AnySubscriber(subscriber)
    subscriber.receive(subscription: Ticket(source: self))
  }

  private struct Ticket: Subscription {
    let source: Source
    var combineIdentifier: CombineIdentifier { CombineIdentifier(source) }
    func request(_ demand: Subscribers.Demand) { source.requested.withLock { $0 += demand } }
    func cancel() { source.cancelCount.withLock { $0 += 1 } }
  }

  func send(_ value: Int) {
    let more = subscriber?.receive(value) ?? .none
    if more != .none { requested.withLock { $0 += more } }
  }
}

/// Groups of scenarios, by the part of the kernel that they concern.
enum Scenarios {
  typealias Demand = Subscribers.Demand
  typealias Number = PassthroughSubject<Int, Never>

  static let all: [Scenario] =
    subjects + currentValues + replays + sharing + engines + everyEngine + sources + ends + time + timers + elements
    + turns + tasks + actors + loops + computations + futures + larger

  // MARK: Broadcasts, their subscribers and subscriptions

  /// A subject with one subscriber, and a later value that everything must survive.
  private static func subject(
    _ name: String, demand: Demand = .unlimited,
    _ calls: @escaping @Sendable (Number, Trace<Int, Never>) -> [[() -> Void]]
  ) -> Scenario {
    Scenario("subject: \(name)") {
      let subject = Number()
      let trace = Trace<Int, Never>(demand)
      subject.subscribe(trace)
      return .init(
        calls: calls(subject, trace),
        outcome: {
          subject.send(9)
          return trace.text
        })
    }
  }

  static let subjects: [Scenario] = [
    subject("send ∥ send") { subject, _ in [[{ subject.send(1) }], [{ subject.send(2) }]] },
    subject("send send ∥ send") { subject, _ in [[{ subject.send(1) }, { subject.send(2) }], [{ subject.send(3) }]] },
    subject("send ∥ send ∥ send") { subject, _ in
      [[{ subject.send(1) }], [{ subject.send(2) }], [{ subject.send(3) }]]
    },
    subject("send ∥ cancel") { subject, trace in [[{ subject.send(1) }], [{ trace.cancel() }]] },
    subject("send send ∥ cancel") { subject, trace in
      [[{ subject.send(1) }, { subject.send(2) }], [{ trace.cancel() }]]
    },
    subject("send ∥ send ∥ cancel") { subject, trace in
      [[{ subject.send(1) }], [{ subject.send(2) }], [{ trace.cancel() }]]
    },
    subject("send ∥ complete") { subject, _ in [[{ subject.send(1) }], [{ subject.send(completion: .finished) }]] },
    subject("complete ∥ complete") { subject, _ in
      [[{ subject.send(completion: .finished) }], [{ subject.send(completion: .finished) }]]
    },
    subject("complete ∥ cancel") { subject, trace in
      [[{ subject.send(completion: .finished) }], [{ trace.cancel() }]]
    },
    subject("cancel ∥ cancel") { _, trace in [[{ trace.cancel() }], [{ trace.cancel() }]] },
    subject("send ∥ request, guarded", demand: .none) { subject, trace in
      [[{ subject.send(1) }], [{ trace.request(.max(1)) }]]
    },
    subject("send ∥ request, unlimited", demand: .none) { subject, trace in
      [[{ subject.send(1) }], [{ trace.request(.unlimited) }]]
    },
    subject("send send ∥ request, unlimited", demand: .max(1)) { subject, trace in
      [[{ subject.send(1) }, { subject.send(2) }], [{ trace.request(.unlimited) }]]
    },
    subject("request ∥ request", demand: .none) { _, trace in
      [[{ trace.request(.max(1)) }], [{ trace.request(.max(1)) }]]
    },
    subject("request ∥ cancel", demand: .none) { _, trace in [[{ trace.request(.max(1)) }], [{ trace.cancel() }]] },
    subject("complete ∥ request", demand: .none) { subject, trace in
      [[{ subject.send(completion: .finished) }], [{ trace.request(.max(1)) }]]
    },
    subject("send ∥ request ∥ cancel", demand: .none) { subject, trace in
      [[{ subject.send(1) }], [{ trace.request(.unlimited) }], [{ trace.cancel() }]]
    },
    Scenario("subject: send ∥ subscribe") {
      let subject = Number()
      let (first, second) = (Trace<Int, Never>(), Trace<Int, Never>())
      subject.subscribe(first)
      return .init(
        calls: [[{ subject.send(1) }], [{ subject.subscribe(second) }]],
        outcome: {
          subject.send(9)
          return "\(first.text) | \(second.text)"
        })
    },
    Scenario("subject: subscribe ∥ subscribe") {
      let subject = Number()
      let (first, second) = (Trace<Int, Never>(), Trace<Int, Never>())
      return .init(
        calls: [[{ subject.subscribe(first) }], [{ subject.subscribe(second) }]],
        outcome: {
          subject.send(9)
          return "\(first.text) | \(second.text)"
        })
    },
    Scenario("subject: subscribe with a first request ∥ send ∥ send") {
      let subject = Number()
      let trace = Trace<Int, Never>(.max(2))
      return .init(
        calls: [[{ subject.subscribe(trace) }], [{ subject.send(1) }], [{ subject.send(2) }]],
        outcome: {
          trace.request(.unlimited)
          subject.send(9)
          return trace.text
        })
    },
    Scenario("subject: subscribe ∥ complete") {
      let subject = Number()
      let trace = Trace<Int, Never>()
      return .init(
        calls: [[{ subject.subscribe(trace) }], [{ subject.send(completion: .finished) }]],
        outcome: { trace.text })
    },
    Scenario("subject: send ∥ cancel of another subscriber") {
      let subject = Number()
      let (first, second) = (Trace<Int, Never>(), Trace<Int, Never>())
      subject.subscribe(first)
      subject.subscribe(second)
      return .init(
        calls: [[{ subject.send(1) }], [{ first.cancel() }]],
        outcome: {
          subject.send(9)
          return "\(first.text) | \(second.text)"
        })
    },
    Scenario("subject: send ∥ cancel, which keeps the subscriber until the value is delivered") {
      let subject = Number()
      let trace = Trace<Int, Never>()
      let isEarly = Variable(false)
      trace.onValue = { [unowned trace] _ in
        var isThere = false
        (trace.held as? Engine)?.inspect { fact, _, _ in if fact == .subscriber { isThere = true } }
        if !isThere { isEarly.value = true }
        return .none
      }
      subject.subscribe(trace)
      return .init(
        calls: [[{ subject.send(1) }], [{ trace.cancel() }]],
        outcome: {
          subject.send(9)
          return isEarly.value! ? "released during a delivery" : trace.text
        })
    },
    Scenario("subject: send ∥ release") {
      let trace = Trace<Int, Never>()
      let holder = Variable(Number())
      holder.value!.subscribe(trace)
      let other = holder.value!
      let second = Variable(Optional(other))
      return .init(
        calls: [
          [
            {
              second.value?.send(1); second.value = nil
            }
          ], [{ holder.value = nil }],
        ],
        outcome: { trace.text })
    },
  ]

  // MARK: Current values

  static let currentValues: [Scenario] = [
    Scenario("current value: send ∥ subscribe") {
      let subject = CurrentValueSubject<Int, Never>(0)
      let trace = Trace<Int, Never>()
      return .init(
        calls: [[{ subject.send(1) }], [{ subject.subscribe(trace) }]],
        outcome: {
          subject.send(9)
          return trace.text
        })
    },
    Scenario("current value: send ∥ request") {
      let subject = CurrentValueSubject<Int, Never>(0)
      let trace = Trace<Int, Never>(.none)
      subject.subscribe(trace)
      return .init(
        calls: [[{ subject.send(1) }], [{ trace.request(.max(1)) }]],
        outcome: {
          trace.request(.unlimited)
          subject.send(9)
          return trace.text
        })
    },
    Scenario("current value: send ∥ request, unlimited") {
      let subject = CurrentValueSubject<Int, Never>(0)
      let trace = Trace<Int, Never>(.none)
      subject.subscribe(trace)
      return .init(
        calls: [[{ subject.send(1) }], [{ trace.request(.unlimited) }]],
        outcome: {
          subject.send(9)
          return trace.text
        })
    },
    Scenario("current value: send ∥ send ∥ request") {
      let subject = CurrentValueSubject<Int, Never>(0)
      let trace = Trace<Int, Never>(.none)
      subject.subscribe(trace)
      return .init(
        calls: [[{ subject.send(1) }], [{ subject.send(2) }], [{ trace.request(.unlimited) }]],
        outcome: {
          subject.send(9)
          return trace.text
        })
    },
    Scenario("current value: send ∥ send, the value") {
      let subject = CurrentValueSubject<Int, Never>(0)
      let trace = Trace<Int, Never>()
      subject.subscribe(trace)
      return .init(
        calls: [[{ subject.send(1) }], [{ subject.value = 2 }]],
        outcome: { "\(trace.text), \(subject.value)" })
    },
    Scenario("current value: request ∥ request") {
      let subject = CurrentValueSubject<Int, Never>(0)
      let trace = Trace<Int, Never>(.none)
      subject.subscribe(trace)
      return .init(
        calls: [[{ trace.request(.max(1)) }], [{ trace.request(.max(1)) }]],
        outcome: {
          subject.send(9)
          return trace.text
        })
    },
    Scenario("current value: complete ∥ request") {
      let subject = CurrentValueSubject<Int, Never>(0)
      let trace = Trace<Int, Never>(.none)
      subject.subscribe(trace)
      return .init(
        calls: [[{ subject.send(completion: .finished) }], [{ trace.request(.max(1)) }]],
        outcome: { trace.text })
    },
    Scenario("current value: cancel ∥ request") {
      let subject = CurrentValueSubject<Int, Never>(0)
      let trace = Trace<Int, Never>(.none)
      subject.subscribe(trace)
      return .init(
        calls: [[{ trace.cancel() }], [{ trace.request(.max(1)) }]],
        outcome: {
          subject.send(9)
          return trace.text
        })
    },
  ]

  // MARK: Replays

  static let replays: [Scenario] = [
    Scenario("replay: send ∥ subscribe") {
      let subject = ReplaySubject<Int, Never>(bufferSize: 2)
      subject.send(0)
      let trace = Trace<Int, Never>()
      return .init(
        calls: [[{ subject.send(1) }], [{ subject.subscribe(trace) }]],
        outcome: {
          subject.send(9)
          return trace.text
        })
    },
    Scenario("replay: send ∥ request") {
      let subject = ReplaySubject<Int, Never>(bufferSize: 2)
      subject.send(0)
      let trace = Trace<Int, Never>(.none)
      subject.subscribe(trace)
      return .init(
        calls: [[{ subject.send(1) }], [{ trace.request(.max(1)) }]],
        outcome: {
          trace.request(.unlimited)
          subject.send(9)
          return trace.text
        })
    },
    Scenario("replay: complete ∥ subscribe") {
      let subject = ReplaySubject<Int, Never>(bufferSize: 2)
      subject.send(0)
      let trace = Trace<Int, Never>()
      return .init(
        calls: [[{ subject.send(completion: .finished) }], [{ subject.subscribe(trace) }]],
        outcome: { trace.text })
    },
    Scenario("replay: complete ∥ request") {
      let subject = ReplaySubject<Int, Never>(bufferSize: 2)
      subject.send(0)
      let trace = Trace<Int, Never>(.none)
      subject.subscribe(trace)
      return .init(
        calls: [[{ subject.send(completion: .finished) }], [{ trace.request(.max(1)) }]],
        outcome: {
          trace.request(.unlimited)
          return trace.text
        })
    },
  ]

  // MARK: Sharing

  static let sharing: [Scenario] = [
    Scenario("share: send ∥ cancel of the last subscriber") {
      let subject = Number()
      let trace = Trace<Int, Never>()
      subject.share().subscribe(trace)
      return .init(
        calls: [[{ subject.send(1) }], [{ trace.cancel() }]],
        outcome: {
          subject.send(9)
          return trace.text
        })
    },
    Scenario("share: subscribe ∥ subscribe") {
      let source = Source()
      let shared = source.share()
      let (first, second) = (Trace<Int, Never>(), Trace<Int, Never>())
      return .init(
        calls: [[{ shared.subscribe(first) }], [{ shared.subscribe(second) }]],
        outcome: {
          source.send(9)
          return "\(first.text) | \(second.text), \(source.requested.withLock { $0 })"
        })
    },
    Scenario("share: subscribe ∥ cancel of the last subscriber") {
      let subject = Number()
      let shared = subject.share()
      let (first, second) = (Trace<Int, Never>(), Trace<Int, Never>())
      shared.subscribe(first)
      return .init(
        calls: [[{ shared.subscribe(second) }], [{ first.cancel() }]],
        outcome: {
          subject.send(9)
          return "\(first.text) | \(second.text)"
        })
    },
    Scenario("share: cancel ∥ cancel of one subscriber of two") {
      let subject = Number()
      let shared = subject.share()
      let (first, second) = (Trace<Int, Never>(), Trace<Int, Never>())
      shared.subscribe(first)
      shared.subscribe(second)
      return .init(
        calls: [[{ first.cancel() }], [{ first.cancel() }]],
        outcome: {
          subject.send(9)
          return "\(first.text) | \(second.text)"
        })
    },
    Scenario("share(replay:): subscribe ∥ send") {
      let subject = Number()
      let shared = subject.share(replay: 1)
      let (first, second) = (Trace<Int, Never>(), Trace<Int, Never>())
      shared.subscribe(first)
      return .init(
        calls: [[{ subject.send(1) }], [{ shared.subscribe(second) }]],
        outcome: {
          subject.send(9)
          return "\(first.text) | \(second.text)"
        })
    },
    Scenario("autoconnect: cancel ∥ cancel") {
      let subject = Number()
      let shared = subject.multicast(subject: Number()).autoconnect()
      let (first, second) = (Trace<Int, Never>(), Trace<Int, Never>())
      shared.subscribe(first)
      shared.subscribe(second)
      return .init(
        calls: [[{ first.cancel() }], [{ second.cancel() }]],
        outcome: {
          subject.send(9)
          let third = Trace<Int, Never>()
          shared.subscribe(third)
          subject.send(8)
          return "\(first.text) | \(second.text) | \(third.text)"
        })
    },
  ]

  // MARK: Engines

  /// An operator on two subjects, and a later value of each that everything must survive.
  private static func two<P: Publisher & SendableMetatype>(
    _ name: String, demand: Demand = .unlimited, _ make: @escaping @Sendable (Number, Number) -> P,
    _ calls: @escaping @Sendable (Number, Number, Trace<String, Never>) -> [[() -> Void]]
  ) -> Scenario where P.Output == String, P.Failure == Never {
    Scenario(name) {
      let (a, b) = (Number(), Number())
      let trace = Trace<String, Never>(demand)
      make(a, b).subscribe(trace)
      return .init(
        calls: calls(a, b, trace),
        outcome: {
          trace.request(.max(8))
          a.send(8)
          b.send(9)
          return trace.text
        })
    }
  }

  private static func sends(_ a: Number, _ b: Number, _: Trace<String, Never>) -> [[() -> Void]] {
    [[{ a.send(1) }], [{ b.send(2) }]]
  }

  static let engines: [Scenario] = [
    two("merge: send ∥ send", { $0.merge(with: $1).map { "\($0)" } }, sends),
    two("merge: send ∥ complete", { $0.merge(with: $1).map { "\($0)" } }) { a, b, _ in
      [[{ a.send(1) }], [{ b.send(completion: .finished) }]]
    },
    two("merge: complete ∥ complete", { $0.merge(with: $1).map { "\($0)" } }) { a, b, _ in
      [[{ a.send(completion: .finished) }], [{ b.send(completion: .finished) }]]
    },
    two("merge: send ∥ send ∥ cancel", { $0.merge(with: $1).map { "\($0)" } }) { a, b, trace in
      [[{ a.send(1) }], [{ b.send(2) }], [{ trace.cancel() }]]
    },
    two("merge: send ∥ request", demand: .none, { $0.merge(with: $1).map { "\($0)" } }) { a, _, trace in
      [[{ a.send(1) }], [{ trace.request(.max(1)) }]]
    },
    two("zip: send ∥ send", { $0.zip($1).map { "\($0)\($1)" } }, sends),
    two("zip: send ∥ complete", { $0.zip($1).map { "\($0)\($1)" } }) { a, b, _ in
      [[{ a.send(1) }], [{ b.send(completion: .finished) }]]
    },
    two("combineLatest: send ∥ send", { $0.combineLatest($1).map { "\($0)\($1)" } }, sends),
    two("combineLatest: send send ∥ send", { $0.combineLatest($1).map { "\($0)\($1)" } }) { a, b, _ in
      [[{ a.send(1) }, { a.send(3) }], [{ b.send(2) }]]
    },
    two("withLatest: send ∥ send", { $0.withLatest(from: $1).map { "\($0)\($1)" } }, sends),
    two("race: send ∥ send", { $0.race(with: $1).map { "\($0)" } }, sends),
    two("prefix(untilOutputFrom:): send ∥ send", { $0.prefix(untilOutputFrom: $1).map { "\($0)" } }, sends),
    two("drop(untilOutputFrom:): send ∥ send", { $0.drop(untilOutputFrom: $1).map { "\($0)" } }, sends),
    two("sample: send ∥ send", { $0.sample(by: $1).map { "\($0)" } }, sends),
    two(
      "switchToLatest: send ∥ send", { a, b in a.map { outer in b.map { "\(outer)\($0)" } }.switchToLatest() }, sends),
    two("flatMap: send ∥ send", { a, b in a.flatMap { outer in b.map { "\(outer)\($0)" } } }, sends),
    two("append: complete ∥ send", { $0.append($1).map { "\($0)" } }) { a, b, _ in
      [[{ a.send(completion: .finished) }], [{ b.send(2) }]]
    },
    two(
      "buffer: send ∥ request", demand: .none,
      { a, _ in a.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest).map { "\($0)" } }
    ) { a, _, trace in [[{ a.send(1) }], [{ trace.request(.max(1)) }]] },
    two(
      "buffer: send ∥ cancel", demand: .none,
      { a, _ in a.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest).map { "\($0)" } }
    ) { a, _, trace in [[{ a.send(1) }], [{ trace.cancel() }]] },
    two(
      "buffer: complete ∥ request", demand: .none,
      { a, _ in a.prepend(0).buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest).map { "\($0)" } }
    ) { a, _, trace in [[{ a.send(completion: .finished) }], [{ trace.request(.max(1)) }]] },
  ]

  // MARK: DemandSource, one-shot, link

  static let sources: [Scenario] = [
    Scenario("sequence: request ∥ request") {
      let trace = Trace<Int, Never>(.none)
      [1, 2, 3].publisher.subscribe(trace)
      return .init(
        calls: [[{ trace.request(.max(1)) }], [{ trace.request(.max(1)) }]],
        outcome: {
          trace.request(.unlimited)
          return trace.text
        })
    },
    Scenario("sequence: subscribe ∥ request") {
      let trace = Trace<Int, Never>(.none)
      // Without a subscription yet, there is nothing to request from.
      let isRequested = Variable(false)
      return .init(
        calls: [
          [{ [1, 2, 3].publisher.subscribe(trace) }],
          [
            {
              guard let subscription = trace.held else { return }
              isRequested.value = true
              subscription.request(.max(1))
            }
          ],
        ],
        outcome: {
          trace.request(.unlimited)
          return "\(isRequested.value!): \(trace.text)"
        })
    },
    Scenario("sequence: request ∥ request ∥ cancel") {
      let trace = Trace<Int, Never>(.none)
      [1, 2, 3].publisher.subscribe(trace)
      return .init(
        calls: [[{ trace.request(.max(1)) }], [{ trace.request(.max(1)) }], [{ trace.cancel() }]],
        outcome: {
          trace.request(.unlimited)
          return trace.signals.count > 2 ? trace.text : "\(trace.signals.count) values"
        })
    },
    Scenario("sequence: request of all ∥ request of all") {
      let trace = Trace<Int, Never>(.none)
      [1, 2].publisher.subscribe(trace)
      return .init(
        calls: [[{ trace.request(.unlimited) }], [{ trace.request(.unlimited) }]], outcome: { trace.text })
    },
    Scenario("just: request ∥ cancel", alsoAllowed: ["1"]) {
      let trace = Trace<Int, Never>(.none)
      Just(1).subscribe(trace)
      return .init(
        calls: [[{ trace.request(.max(1)) }], [{ trace.cancel() }]],
        outcome: {
          trace.request(.unlimited)
          return trace.text
        })
    },
    Scenario("just: request ∥ request") {
      let trace = Trace<Int, Never>(.none)
      Just(1).subscribe(trace)
      return .init(
        calls: [[{ trace.request(.max(1)) }], [{ trace.request(.max(1)) }]], outcome: { trace.text })
    },
    Scenario("future: promise ∥ request") {
      let promise = Variable<(Result<Int, Never>) -> Void>(nil)
      let future = Future<Int, Never> { promise.value = $0 }
      let trace = Trace<Int, Never>(.none)
      future.subscribe(trace)
      return .init(
        calls: [[{ promise.value!(.success(1)) }], [{ trace.request(.max(1)) }]], outcome: { trace.text })
    },
    Scenario("future: promise ∥ subscribe") {
      let promise = Variable<(Result<Int, Never>) -> Void>(nil)
      let future = Future<Int, Never> { promise.value = $0 }
      let trace = Trace<Int, Never>()
      return .init(
        calls: [[{ promise.value!(.success(1)) }], [{ future.subscribe(trace) }]], outcome: { trace.text })
    },
    Scenario("future: promise ∥ promise") {
      let promise = Variable<(Result<Int, Never>) -> Void>(nil)
      let future = Future<Int, Never> { promise.value = $0 }
      let trace = Trace<Int, Never>()
      future.subscribe(trace)
      return .init(
        calls: [[{ promise.value!(.success(1)) }], [{ promise.value!(.success(2)) }]], outcome: { trace.text })
    },
    Scenario("future: promise ∥ cancel", alsoAllowed: ["1"]) {
      let promise = Variable<(Result<Int, Never>) -> Void>(nil)
      let future = Future<Int, Never> { promise.value = $0 }
      let trace = Trace<Int, Never>()
      future.subscribe(trace)
      return .init(
        calls: [[{ promise.value!(.success(1)) }], [{ trace.cancel() }]], outcome: { trace.text })
    },
  ]

  // MARK: Sinks and cancellables

  final class Journal: @unchecked Sendable {
    var entries: [String] = []
    private let order = Order()

    func note(_ entry: String) {
      if !order.begin(after: entries.count) { entries.append("unordered") }
      entries.append(Epilogue.mark(entry))
      order.end(entries.count)
    }
  }

  static let ends: [Scenario] = [
    Scenario("sink: send ∥ cancel") {
      let subject = Number()
      let journal = Journal()
      let cancellable = subject.sink(isolation: nil) { journal.note("\($0)") }
      return .init(
        calls: [[{ subject.send(1) }], [{ cancellable.cancel() }]],
        outcome: {
          subject.send(9)
          return journal.entries.joined(separator: " ")
        })
    },
    Scenario("sink: cancel ∥ cancel") {
      let count = Locked(0)
      let cancellable = AnyCancellable { count.withLock { $0 += 1 } }
      return .init(
        calls: [[{ cancellable.cancel() }], [{ cancellable.cancel() }]], outcome: { "\(count.withLock { $0 })" })
    },
    Scenario("sink: send ∥ send of a foreign publisher ∥ cancel") {
      let source = Source()
      let journal = Journal()
      let cancellable = source.sink(isolation: nil) { journal.entries = [Epilogue.mark("\($0)")] }
      return .init(
        calls: [[{ source.send(1) }], [{ cancellable.cancel() }]],
        outcome: {
          source.send(9)
          return journal.entries.joined(separator: " ")
        })
    },
    Scenario("sink: subscribe ∥ cancel") {
      let subject = Number()
      let journal = Journal()
      let subscriber = Subscribers.Sink<Int, Never>(
        receiveCompletion: { _ in }, receiveValue: { journal.note("\($0)") })
      let cancellable = AnyCancellable(subscriber)
      return .init(
        calls: [[{ subject.subscribe(subscriber) }], [{ cancellable.cancel() }]],
        outcome: {
          subject.send(9)
          return journal.entries.joined(separator: " ")
        })
    },
    Scenario("assign(to:): send ∥ release") {
      let subject = Number()
      let journal = Journal()
      let cancellable = Variable(Optional(subject.sink(isolation: nil) { journal.note("\($0)") }))
      return .init(
        calls: [[{ subject.send(1) }], [{ cancellable.value = nil }]],
        outcome: {
          subject.send(9)
          return journal.entries.joined(separator: " ")
        })
    },
  ]

  // MARK: Larger scenarios

  /// All texts that have the words of both in their order.
  private static func interleavings(_ first: String, _ second: String) -> [String] {
    func merge(_ a: ArraySlice<Substring>, _ b: ArraySlice<Substring>) -> [[Substring]] {
      guard let x = a.first else { return [Array(b)] }
      guard let y = b.first else { return [Array(a)] }
      return merge(a.dropFirst(), b).map { [x] + $0 } + merge(a, b.dropFirst()).map { [y] + $0 }
    }
    return merge(first.split(separator: " ")[...], second.split(separator: " ")[...]).map { $0.joined(separator: " ") }
  }

  static let larger: [Scenario] = [
    Scenario("subject: send ∥ subscribe ∥ cancel") {
      let subject = Number()
      let (first, second) = (Trace<Int, Never>(), Trace<Int, Never>())
      subject.subscribe(first)
      return .init(
        calls: [[{ subject.send(1) }], [{ subject.subscribe(second) }], [{ first.cancel() }]],
        outcome: {
          subject.send(9)
          return "\(first.text) | \(second.text)"
        })
    },
    Scenario("subject: send ∥ subscribe ∥ complete") {
      let subject = Number()
      let (first, second) = (Trace<Int, Never>(), Trace<Int, Never>())
      subject.subscribe(first)
      return .init(
        calls: [[{ subject.send(1) }], [{ subject.subscribe(second) }], [{ subject.send(completion: .finished) }]],
        outcome: { "\(first.text) | \(second.text)" })
    },
    Scenario("subject: send ∥ request ∥ request, limited") {
      let subject = Number()
      let trace = Trace<Int, Never>(.none)
      subject.subscribe(trace)
      return .init(
        calls: [
          [{ subject.send(1) }, { subject.send(2) }], [{ trace.request(.max(1)) }], [{ trace.request(.max(1)) }],
        ],
        outcome: {
          subject.send(9)
          return trace.text
        })
    },
    Scenario("subject: re-entrant send ∥ send", alsoAllowed: ["1 2 3 9'"]) {
      let subject = Number()
      let trace = Trace<Int, Never>()
      trace.onValue = {
        if $0 == 1 { subject.send(3) }
        return .none
      }
      subject.subscribe(trace)
      return .init(
        calls: [[{ subject.send(1) }], [{ subject.send(2) }]],
        outcome: {
          subject.send(9)
          return trace.text
        })
    },
    Scenario("subject: hand-over, send send send ∥ send send") {
      let subject = Number()
      let trace = Trace<Int, Never>()
      subject.subscribe(trace)
      return .init(
        calls: [
          [{ subject.send(1) }, { subject.send(2) }, { subject.send(3) }], [{ subject.send(4) }, { subject.send(5) }],
        ],
        outcome: {
          subject.send(9)
          return trace.text
        })
    },
    Scenario(
      "subject: hand-over, a send of three ∥ send send",
      alsoAllowed: interleavings("1 6 7 8", "4 5").reduce(into: []) { $0.insert("\($1) 9'") }
    ) {
      let subject = Number()
      let trace = Trace<Int, Never>()
      trace.onValue = {
        if $0 == 1 { for value in 6...8 { subject.send(value) } }
        return .none
      }
      subject.subscribe(trace)
      return .init(
        calls: [[{ subject.send(1) }], [{ subject.send(4) }, { subject.send(5) }]],
        outcome: {
          subject.send(9)
          return trace.text
        })
    },
    // The turn before was that of a thread that is gone.
    Scenario(
      "subject: hand-over after a turn, a send of three ∥ send send",
      alsoAllowed: interleavings("1 6 7 8", "4 5").reduce(into: []) { $0.insert("0 2 \($1) 9'") }
    ) {
      let subject = Number()
      let trace = Trace<Int, Never>()
      trace.onValue = {
        switch $0 {
        case 0: subject.send(2)
        case 1: for value in 6...8 { subject.send(value) }
        default: break
        }
        return .none
      }
      subject.subscribe(trace)
      subject.send(0)
      return .init(
        calls: [[{ subject.send(1) }], [{ subject.send(4) }, { subject.send(5) }]],
        outcome: {
          subject.send(9)
          return trace.text
        })
    },
    Scenario("sequence: hand-over, request ∥ request ∥ request") {
      let trace = Trace<Int, Never>(.none)
      (1...6).publisher.subscribe(trace)
      return .init(
        calls: [[{ trace.request(.max(2)) }], [{ trace.request(.max(1)) }], [{ trace.request(.max(1)) }]],
        outcome: { trace.text })
    },
    Scenario("merge: hand-over, send send ∥ send send") {
      let (a, b) = (Number(), Number())
      let trace = Trace<Int, Never>()
      a.merge(with: b).subscribe(trace)
      return .init(
        calls: [[{ a.send(1) }, { a.send(2) }], [{ b.send(3) }, { b.send(4) }]],
        outcome: {
          a.send(9)
          return trace.text
        })
    },
    Scenario("current value: subscribe ∥ send ∥ complete") {
      let subject = CurrentValueSubject<Int, Never>(0)
      let trace = Trace<Int, Never>()
      return .init(
        calls: [[{ subject.subscribe(trace) }], [{ subject.send(1) }], [{ subject.send(completion: .finished) }]],
        outcome: { trace.text })
    },
    // As for two threads.
    Scenario("debounce: send ∥ fire ∥ cancel", alsoAllowed: ["0 1", "1'"]) {
      let scheduler = DispatchQueue.test
      let subject = Number()
      let trace = Trace<Int, Never>()
      subject.debounce(for: 1, scheduler: scheduler).subscribe(trace)
      subject.send(0)
      return .init(
        calls: [[{ subject.send(1) }], [{ scheduler.advance(by: 1) }], [{ trace.cancel() }]],
        outcome: {
          scheduler.advance(by: 5)
          return trace.text
        })
    },
    Scenario("link: connect ∥ request ∥ cancel") {
      let source = Source()
      let trace = Trace<Int, Never>(.none)
      let link = UpstreamLink()
      let ticket = AnySubscriber<Int, Never>(trace)
      source.subscribe(ticket)
      let subscription = trace.held!
      return .init(
        calls: [[{ _ = link.connect(subscription) }], [{ link.request(.max(3)) }], [{ link.cancel() }]],
        outcome: {
          link.request(.max(1))
          let requested = source.requested.withLock { $0 }
          return "\(source.cancelCount.withLock { $0 }) \(source.cancelCount.withLock { $0 } > 0 ? "" : "\(requested)")"
        })
    },
    Scenario("link: connect ∥ request") {
      let source = Source()
      let trace = Trace<Int, Never>(.none)
      let link = UpstreamLink()
      source.subscribe(AnySubscriber<Int, Never>(trace))
      let subscription = trace.held!
      return .init(
        calls: [[{ _ = link.connect(subscription) }], [{ link.request(.max(3)) }, { link.request(.max(4)) }]],
        outcome: {
          link.request(.max(1))
          link.cancel()
          return "\(source.requested.withLock { $0 }) \(source.cancelCount.withLock { $0 })"
        })
    },
  ]

  // MARK: Time

  static let time: [Scenario] = [
    Scenario("timeline: advance ∥ schedule") {
      let scheduler = DispatchQueue.test
      let journal = Journal()
      scheduler.schedule(after: scheduler.now.advanced(by: 1)) { journal.note("first") }
      return .init(
        calls: [
          [{ scheduler.advance(by: 1) }],
          [{ scheduler.schedule(after: scheduler.now.advanced(by: 1)) { journal.note("second") } }],
        ],
        outcome: {
          scheduler.advance(by: 1)
          return journal.entries.joined(separator: " ")
        })
    },
    Scenario("timeline: advance ∥ cancel") {
      let scheduler = DispatchQueue.test
      let journal = Journal()
      let timer = scheduler.schedule(after: scheduler.now.advanced(by: 1), interval: 1) { journal.note("tick") }
      return .init(
        calls: [[{ scheduler.advance(by: 1) }], [{ timer.cancel() }]],
        outcome: {
          scheduler.advance(by: 5)
          return journal.entries.joined(separator: " ")
        })
    },
    Scenario("delay: send ∥ advance") {
      let scheduler = DispatchQueue.test
      let subject = Number()
      let trace = Trace<Int, Never>()
      subject.delay(for: 1, scheduler: scheduler).subscribe(trace)
      subject.send(0)
      return .init(
        calls: [[{ subject.send(1) }], [{ scheduler.advance(by: 1) }]],
        outcome: {
          scheduler.advance(by: 5)
          return trace.text
        })
    },
    // An advance is not one step: the value may be sent before the time advances, and its timer armed after that, when it is
    // due at once; or be sent when the time has advanced and the timer has not yet fired.
    Scenario("debounce: send ∥ fire", alsoAllowed: ["0 1", "1'"]) {
      let scheduler = DispatchQueue.test
      let subject = Number()
      let trace = Trace<Int, Never>()
      subject.debounce(for: 1, scheduler: scheduler).subscribe(trace)
      subject.send(0)
      return .init(
        calls: [[{ subject.send(1) }], [{ scheduler.advance(by: 1) }]],
        outcome: {
          scheduler.advance(by: 5)
          return trace.text
        })
    },
    Scenario("debounce: fire ∥ cancel") {
      let scheduler = DispatchQueue.test
      let subject = Number()
      let trace = Trace<Int, Never>()
      subject.debounce(for: 1, scheduler: scheduler).subscribe(trace)
      subject.send(0)
      return .init(
        calls: [[{ scheduler.advance(by: 1) }], [{ trace.cancel() }]],
        outcome: {
          scheduler.advance(by: 5)
          return "\(trace.text), \(scheduler.pendingCount)"
        })
    },
    Scenario("receive(on:): send ∥ fire") {
      let scheduler = DispatchQueue.test
      let subject = Number()
      let trace = Trace<Int, Never>()
      subject.receive(on: scheduler).subscribe(trace)
      return .init(
        calls: [[{ subject.send(1) }, { subject.send(2) }], [{ scheduler.advance() }]],
        outcome: {
          scheduler.advance()
          return trace.text
        })
    },
    // Two threads of a concurrent scheduler, at a trampoline, which delivers in the slow loop.
    Scenario("delay at a trampoline: fire, fire ∥ fire") {
      let scheduler = HeldScheduler()
      let subject = Number()
      let trace = Trace<Int, Never>()
      let place = ThreadState.enter(level: ThreadState.segment - 1)
      subject.delay(for: 1, scheduler: scheduler).subscribe(trace)
      restoreSourceLevel(place)
      for value in 0..<3 { subject.send(value) }
      return .init(
        calls: [[{ scheduler.runOne() }, { scheduler.runOne() }], [{ scheduler.runOne() }]],
        outcome: {
          subject.send(3)
          while scheduler.runOne() {}
          return trace.text
        })
    },
    // As above.
    Scenario("throttle: send ∥ fire", alsoAllowed: ["0 1"]) {
      let scheduler = DispatchQueue.test
      let subject = Number()
      let trace = Trace<Int, Never>()
      subject.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(trace)
      subject.send(0)
      return .init(
        calls: [[{ subject.send(1) }], [{ scheduler.advance(by: 2) }]],
        outcome: {
          scheduler.advance(by: 5)
          return trace.text
        })
    },
  ]
}

/// A scheduler whose actions any thread runs by hand, as those of a concurrent queue.
struct HeldScheduler: Scheduler {
  private let actions = Locked<[() -> Void]>([])
  private let ticks = Locked(0)

  /// Each time, a later one.
  var now: DispatchQueue.SchedulerTimeType {
    let ticks = ticks.withLock { ticks in
      ticks += 1
      return ticks
    }
    return DispatchQueue.SchedulerTimeType(.init(uptimeNanoseconds: 1)).advanced(by: .seconds(ticks))
  }
  var minimumTolerance: DispatchQueue.SchedulerTimeType.Stride { 0 }

  func schedule(options: DispatchQueue.SchedulerOptions?, _ action: @escaping () -> Void) {
    actions.withLock { $0.append(action) }
  }

  func schedule(
    after date: DispatchQueue.SchedulerTimeType, tolerance: DispatchQueue.SchedulerTimeType.Stride,
    options: DispatchQueue.SchedulerOptions?, _ action: @escaping () -> Void
  ) { schedule(options: options, action) }

  func schedule(
    after date: DispatchQueue.SchedulerTimeType, interval: DispatchQueue.SchedulerTimeType.Stride,
    tolerance: DispatchQueue.SchedulerTimeType.Stride, options: DispatchQueue.SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable { fatalError("Scenarios do not repeat actions.") }

  /// Runs the oldest action, if there is one. Returns whether there was.
  @discardableResult
  func runOne() -> Bool {
    let action = actions.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    action?()
    return action != nil
  }
}

/// A variable that one thread at a time uses.
final class Variable<Value>: @unchecked Sendable {
  var value: Value?
  init(_ value: Value?) { self.value = value }
}
