import Dispatch
import StreamAlgorithms
import StreamSchedulers
import SuiteSupport
import Testing

@testable import Streams

// `@testable`: the broadcast of a property, a sink without a publisher, and what a layout says of a type.

/// Values of every kind of layout, on every way through an engine: each is destroyed once, and arrives as it was sent.
struct ElementTests {
  /// An instance that is counted while it exists, and that notices if it's destroyed too often.
  final class Counted: @unchecked Sendable {
    // Unchecked: a test uses one thread.
    final class Census: @unchecked Sendable { var living = 0 }
    let number: Int
    private let census: Census

    init(_ number: Int, _ census: Census) {
      self.number = number
      self.census = census
      census.living += 1
    }

    deinit { census.living -= 1 }
  }

  protocol Numbered { var counted: Counted { get } }

  struct Small: Numbered { let counted: Counted }

  struct Padded {
    let counted: Counted
    let flag: Bool
  }

  struct Weak {
    let counted: Counted
    weak var other: Counted?
  }

  enum Choice {
    case nothing
    case weak(Weak)
  }

  struct Bytes64 {
    let a: Counted
    let words: (Int, Int, Int, Int, Int, Int)
    let b: Counted
  }

  struct Bytes512 {
    let counted: Counted
    var words = (Bytes128(), Bytes128(), Bytes128(), Bytes128(), 0, 1, 2)
  }

  struct Bytes2000 {
    let counted: Counted
    var words = (Bytes512Words(), Bytes512Words(), Bytes512Words(), Bytes512Words())
  }

  typealias Bytes7 = (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)

  struct Bytes128 { var words = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14) }
  struct Bytes512Words { var words = (Bytes128(), Bytes128(), Bytes128(), Bytes128()) }

  /// Sends values in every way, and expects that they arrive and that none is left.
  private func check<Value>(_ make: @escaping (Counted) -> Value, _ number: @escaping (Value) -> Int) {
    let census = Counted.Census()
    let made = { make(Counted($0, census)) }
    for (name, way) in Self.ways(made, number) {
      let (expected, received) = way()
      #expect(received == expected, "\(Value.self), \(name)")
      #expect(census.living == 0, "\(Value.self), \(name)")
    }
  }

  private typealias Way = (String, () -> (expected: [Int], received: [Int]))

  private static func ways<Value>(_ make: @escaping (Int) -> Value, _ number: @escaping (Value) -> Int) -> [Way] {
    [
      (
        "passes through a subject, a merge, flatMap and a queue",
        {
          var received: [Int] = []
          let (a, b) = (PassthroughSubject<Value, Never>(), PassthroughSubject<Value, Never>())
          let sink = a.merge(with: b).flatMap { Just($0) }.receive(on: ImmediateScheduler.shared)
            .sink { received.append(number($0)) }
          for value in 0..<3 { (value == 1 ? b : a).send(make(value)) }
          sink.cancel()
          a.send(make(9))
          return ([0, 1, 2], received)
        }
      ),
      (
        "is sent while another one is being delivered, so that the queue grows meanwhile",
        {
          var received: [Int] = []
          let (subject, other) = (PassthroughSubject<Value, Never>(), PassthroughSubject<Value, Never>())
          let sinks = [
            subject.merge(with: other).sink {
              received.append(number($0))
              if number($0) == 0 { for value in 1...20 { (value % 2 == 0 ? subject : other).send(make(value)) } }
            }, subject.sink { _ in },
          ]
          subject.send(make(0))
          _ = sinks
          return (Array(0...20), received.sorted())
        }
      ),
      (
        "waits for demand, and is given up when the stream is cancelled",
        {
          let (a, b) = (PassthroughSubject<Value, Never>(), PassthroughSubject<Value, Never>())
          var (received, subscription): ([Int], (any Subscription)?) = ([], nil)
          a.merge(with: b).subscribe(
            AnySubscriber(
              receiveSubscription: {
                subscription = $0
                $0.request(.max(1))
              },
              receiveValue: {
                received.append(number($0))
                return .none
              }))
          for value in 0..<3 { (value == 1 ? b : a).send(make(value)) }
          subscription?.request(.max(1))
          a.send(make(5))
          subscription?.cancel()
          subscription = nil
          return ([0, 1], received)
        }
      ),
      (
        "is replaced, is delivered, and is dropped at the end, by debounce",
        {
          let scheduler = DispatchQueue.test
          let subject = PassthroughSubject<Value, Never>()
          var received: [Int] = []
          let sink = subject.debounce(for: .seconds(1), scheduler: scheduler).sink { received.append(number($0)) }
          for value in 0..<4 { subject.send(make(value)) }
          scheduler.advance(by: .seconds(2))
          subject.send(make(7))
          subject.send(completion: .finished)
          scheduler.advance(by: .seconds(2))
          _ = sink
          return ([3], received)
        }
      ),
      (
        "waits for others in zip, and is given up when the stream ends",
        {
          let (a, b, c) = (
            PassthroughSubject<Value, Never>(), PassthroughSubject<Int, Never>(), PassthroughSubject<Value, Never>()
          )
          var received: [Int] = []
          let sink = a.zip(b, c).sink { received.append(number($0.0) + $0.1 + number($0.2)) }
          for value in 0..<6 { a.send(make(value)) }
          b.send(100)
          for value in 0..<2 { c.send(make(value)) }
          b.send(100)
          b.send(completion: .finished)
          sink.cancel()
          return ([100, 102], received)
        }
      ),
      (
        "joins an array",
        {
          let subjects = (0..<3).map { _ in PassthroughSubject<Value, Never>() }
          var received: [Int] = []
          let sink = subjects.zip().sink { received += $0.map(number) }
          for value in 0..<2 { for subject in subjects.reversed() { subject.send(make(value)) } }
          subjects[0].send(make(5))
          sink.cancel()
          return ([0, 0, 0, 1, 1, 1], received)
        }
      ),
      (
        "is dropped for lack of room",
        {
          let scheduler = DispatchQueue.test
          let subject = PassthroughSubject<Value, Never>()
          var received: [Int] = []
          let sinks = [
            subject.receive(on: scheduler, bounded: 2, whenFull: .dropOldest).sink { received.append(number($0)) },
            subject.receive(on: scheduler, bounded: 2, whenFull: .dropNewest).sink { received.append(number($0)) },
          ]
          for value in 0..<5 { subject.send(make(value)) }
          scheduler.advance()
          _ = sinks
          return ([3, 4, 0, 1], received)
        }
      ),
      (
        "is kept by a subject, and is replaced",
        {
          let subject = CurrentValueSubject<Value, Never>(make(0))
          var received: [Int] = []
          subject.send(make(1))
          let sink = subject.sink {
            received.append(number($0))
            if number($0) == 2 { subject.send(make(3)) }
          }
          subject.send(make(2))
          received.append(number(subject.value))
          _ = sink
          return ([1, 2, 3, 3], received)
        }
      ),
      (
        "is kept by a subject that replays three",
        {
          let subject = ReplaySubject<Value, Never>(bufferSize: 3)
          var received: [Int] = []
          for value in 0..<12 { subject.send(make(value)) }
          subject.send(completion: .finished)
          let sink = subject.sink { received.append(number($0)) }
          _ = sink
          return ([9, 10, 11], received)
        }
      ),
      (
        "is kept by a property, whose subscribers see the value before",
        {
          let broadcast = Broadcast<Value, Never>(current: make(0), isPublished: true)
          var received: [Int] = []
          let sink = SinkSubscriber<Value, Never>(nil) {
            received += [number($0), number(broadcast.valueOfProperty)]
          }
          broadcast.subscribe(sink)
          broadcast.sendBeforeChange(make(1))
          received.append(number(broadcast.valueOfProperty))
          sink.link.cancel()
          return ([0, 0, 1, 0, 1], received)
        }
      ),
    ] + waysThroughSeveralSources(make, number) + waysThroughTime(make, number)
  }

  private static func waysThroughSeveralSources<Value>(
    _ make: @escaping (Int) -> Value, _ number: @escaping (Value) -> Int
  ) -> [Way] {
    typealias Subject = PassthroughSubject<Value, Never>
    /// Sends values to one of two subjects each, and gives up what is kept then.
    func two<P: Publisher<Int, Never>>(
      _ name: String, _ sent: [(Character, Int)], _ expected: [Int], _ operation: @escaping (Subject, Subject) -> P
    ) -> Way {
      (
        name,
        {
          let (a, b) = (Subject(), Subject())
          var received: [Int] = []
          let sink = operation(a, b).sink { received.append($0) }
          for (name, value) in sent { (name == "a" ? a : b).send(make(value)) }
          sink.cancel()
          return (expected, received)
        }
      )
    }
    return [
      two("is combined with the newest", [("a", 1), ("b", 30), ("a", 2), ("b", 40)], [31, 32, 42]) {
        $0.combineLatest($1).map { number($0) + number($1) }
      },
      two("joins the newest of an array", [("a", 1), ("b", 30), ("a", 2)], [31, 32]) {
        [$0, $1].combineLatest().map { $0.map(number).reduce(0, +) }
      },
      two("is sent with the newest", [("b", 30), ("a", 1), ("b", 40), ("a", 2)], [31, 42]) {
        $0.withLatest(from: $1).map { number($0) + number($1) }
      },
      two("is sampled", [("a", 1), ("a", 2), ("b", 0), ("a", 3)], [2]) { $0.sample(by: $1).map(number) },
      two("loses a race", [("b", 0), ("a", 1), ("b", 2)], [0, 2]) { $0.race(with: $1).map(number) },
      two("comes before or after a trigger", [("a", 0), ("b", 1), ("a", 2)], [0, 2]) {
        $0.prefix(untilOutputFrom: $1).merge(with: $0.drop(untilOutputFrom: $1)).map(number)
      },
      two(
        "waits while a buffer is closed, and is dropped for another", [("a", 1), ("a", 2), ("a", 3), ("b", 0)], [2, 3]
      ) {
        $0.pausable(runningWhile: $1.map { number($0) == 0 }, buffering: 2, whenFull: .dropOldest).map(number)
      },
      two("waits while a buffer is closed, and is given up", [("a", 1), ("a", 2), ("a", 3), ("b", 1)], []) {
        $0.pausable(runningWhile: $1.map { number($0) == 0 }, buffering: 2, whenFull: .dropOldest).map(number)
      },
      two("comes from a source that is left", [("b", 0), ("a", 1), ("b", 2), ("a", 3)], [1, 3]) { a, b in
        b.map { _ in a }.switchToLatest().map(number)
      },
      two("comes from a source that follows", [("a", 0), ("b", 1)], [0, 1]) { a, b in
        a.first().append(b).map(number)
      },
      (
        "waits in a line for an earlier one, and is given up",
        {
          var received: [Int] = []
          for last in [0, 3] {
            let subjects = (0..<4).map { _ in Subject() }
            let sink = SinkSubscriber<Value, Never>(nil) { received.append(number($0)) }
            OrderedEngine(SubscriberReceiver(sink), ElementLayout(Value.self), length: 4)
              .attach(outer: subjects.publisher) { $0 }
            for index in [2, 1, last] { subjects[index].send(make(index)) }
            sink.link.cancel()
          }
          return ([0, 1, 2], received)
        }
      ),
      (
        "waits in a buffer, and is dropped for another",
        {
          var received: [Int] = []
          for whenFull in [Publishers.BufferingStrategy<Never>.dropOldest, .dropNewest] {
            let subject = Subject()
            var subscription: (any Subscription)?
            subject.buffer(size: 2, prefetch: .byRequest, whenFull: whenFull).subscribe(
              AnySubscriber(
                receiveSubscription: {
                  subscription = $0
                  $0.request(.max(1))
                },
                receiveValue: {
                  received.append(number($0))
                  return .none
                }))
            for value in 0..<5 { subject.send(make(value)) }
            subscription?.request(.max(1))
            subscription?.cancel()
            subscription = nil
          }
          return ([0, 3, 0, 1], received)
        }
      ),
    ]
  }

  private static func waysThroughTime<Value>(
    _ make: @escaping (Int) -> Value, _ number: @escaping (Value) -> Int
  ) -> [Way] {
    typealias Subject = PassthroughSubject<Value, Never>
    /// Sends values, lets a second pass where there is none, and gives up what waits then.
    func timed<P: Publisher<Int, Never>>(
      _ name: String, _ sent: [Int?], _ expected: [Int],
      _ operation: @escaping (Subject, TestSchedulerOf<DispatchQueue>) -> P
    ) -> Way {
      (
        name,
        {
          let (subject, scheduler) = (Subject(), DispatchQueue.test)
          var received: [Int] = []
          let sink = operation(subject, scheduler).sink { received.append($0) }
          for value in sent {
            if let value { subject.send(make(value)) } else { scheduler.advance(by: .seconds(1)) }
          }
          sink.cancel()
          return (expected, received)
        }
      )
    }
    return [
      timed("is delayed", [0, 1, nil, 2], [0, 1]) { $0.delay(for: .seconds(1), scheduler: $1).map(number) },
      timed("is the first of an interval", [0, nil, 1, 2, 3, nil, 4], [0, 1]) {
        $0.throttle(for: .seconds(1), scheduler: $1, latest: false).map(number)
      },
      timed("is the latest of an interval", [0, nil, 1, 2, 3, nil, 4], [0, 3]) {
        $0.throttle(for: .seconds(1), scheduler: $1, latest: true).map(number)
      },
      timed("is waited for", [0, 1, nil, 2], [0, 1]) { $0.timeout(.seconds(9), scheduler: $1).map(number) },
      timed("is collected", [0, 1, nil, 2, 3, 4, nil, 5], [2, 3]) {
        $0.collect(.byTime($1, .seconds(1))).map(\.count)
      },
      timed("is limited to a rate, and is dropped for another", [0, 1, 2, 3, nil, nil, 4], [0, 2, 3]) {
        $0.rateLimit(1, per: .seconds(1), scheduler: $1, queueSize: 2, whenFull: .dropOldest).map(number)
      },
    ]
  }

  @Test func `objects`() { check({ $0 }, \.number) }
  @Test func `strings`() {
    check({ String(repeating: "a long string that has storage of its own ", count: $0.number) }, { $0.count / 42 })
  }
  @Test func `a trivial word, a byte and nothing`() {
    check({ $0.number }, { $0 })
    check({ UInt8($0.number) }, { Int($0) })
    check({ ($0.number, UInt8(7)) }, { $0.0 })
  }
  @Test func `closures`() { check({ counted in { counted.number } }, { $0() }) }
  @Test func `tuples with a closure`() {
    check({ counted in (counted.number, { counted.number }, true) }, { $0.0 == $0.1() && $0.2 ? $0.0 : -1 })
  }
  @Test func `existential values`() {
    check({ Small(counted: $0) as any Numbered }, { $0.counted.number })
    check({ $0 as AnyObject }, { ($0 as? Counted)?.number ?? -1 })
    check({ Bytes64(a: $0, words: (0, 1, 2, 3, 4, 5), b: $0) as Any }, { ($0 as? Bytes64)?.b.number ?? -1 })
  }
  @Test func `structures with padding at the end`() {
    check({ Padded(counted: $0, flag: true) }, { $0.flag ? $0.counted.number : -1 })
    check({ (Padded(counted: $0, flag: true), true) }, { $0.1 && $0.0.flag ? $0.0.counted.number : -1 })
  }
  @Test func `optionals and enumerations`() {
    check({ Optional($0) }, { $0?.number ?? -1 })
    check({ Result<Counted, TestError>.success($0) }, { (try? $0.get().number) ?? -1 })
  }
  @Test func `values around a weak reference, which aren't moved as bytes`() {
    #expect(!ElementLayout.isKeptAsItIs(Weak.self))
    #expect(!ElementLayout.isKeptAsItIs(Choice.self))
    check({ Weak(counted: $0, other: $0) }, { $0.other === $0.counted ? $0.counted.number : -1 })
    check({ Choice.weak(Weak(counted: $0, other: $0)) }) {
      if case .weak(let value) = $0, value.other === value.counted { value.counted.number } else { -1 }
    }
    check({ Optional(Weak(counted: $0, other: $0)) }, { $0?.other?.number ?? -1 })
    check({ (1, Weak(counted: $0, other: $0)) }, { $0.1.other?.number ?? -1 })
  }
  @Test func `values of 64, 512 and 2,000 bytes`() {
    check({ Bytes64(a: $0, words: (0, 1, 2, 3, 4, 5), b: $0) }, { $0.words.5 == 5 && $0.a === $0.b ? $0.b.number : -1 })
    check({ Bytes512(counted: $0) }, { $0.words.6 == 2 && $0.words.3.words.14 == 14 ? $0.counted.number : -1 })
    check({ Bytes2000(counted: $0) }, { $0.words.3.words.3.words.14 == 14 ? $0.counted.number : -1 })
  }
  @Test func `values with alignments of 1, 4 and 16`() {
    check({ (UInt8($0.number), (1, 2, 3, 4, 5, 6, 7) as Bytes7) }, { $0.1.6 == 7 ? Int($0.0) : -1 })
    check({ (UInt8(1), (2, UInt8($0.number)) as (UInt8, UInt8), [UInt8](), (3, 4) as (Int32, Int32)) }) {
      $0.3.1 == 4 ? Int($0.1.1) : -1
    }
    check({ (Int32($0.number), Int32(7)) }, { $0.1 == 7 ? Int($0.0) : -1 })
    check({ (Float($0.number), Float(7), Float(8)) }, { $0.2 == 8 ? Int($0.0) : -1 })
    check({ (SIMD4<Float>(repeating: Float($0.number)), $0) }, { Int($0.0.w) == $0.1.number ? $0.1.number : -1 })
  }

  @Test func `metatypes, and values without bytes`() {
    var types: [String] = []
    let (subject, other) = (PassthroughSubject<any Any.Type, Never>(), PassthroughSubject<any Any.Type, Never>())
    let sink = subject.merge(with: other).receive(on: ImmediateScheduler.shared).sink { types.append("\($0)") }
    subject.send(Int.self)
    other.send(String.self)
    #expect(types == ["Int", "String"])
    var pulses = 0
    let (tick, tock) = (PassthroughSubject<Void, Never>(), CurrentValueSubject<Void, Never>(()))
    let pulse = tick.zip(tock).merge(with: tick.zip(tock)).sink { _ in pulses += 1 }
    for _ in 0..<3 {
      tick.send()
      tock.send()
    }
    #expect(pulses == 6)
    withExtendedLifetime((sink, pulse)) {}
  }

  // MARK: Failures

  private class Base: Error, @unchecked Sendable {}
  private final class Derived: Base, @unchecked Sendable {}
  private struct Large: Error, Equatable {
    var words = [1, 2, 3]
    var more = (0..<8).map { "\($0)" }
  }

  /// Sends a failure through engines and a broadcast, and returns what arrives.
  private func arrival<Failure: Error>(of failure: Failure) -> Failure? {
    let (subject, other) = (PassthroughSubject<Int, Failure>(), PassthroughSubject<Int, Failure>())
    var arrived: Failure?
    let sink = subject.merge(with: other).zip(other).flatMap { _ in other }.receive(on: ImmediateScheduler.shared)
      .sink(receiveCompletion: { if case .failure(let error) = $0 { arrived = error } }, receiveValue: { _ in })
    subject.send(completion: .failure(failure))
    withExtendedLifetime(sink) {}
    return arrived
  }

  @Test func `failures arrive with their type`() {
    let derived = Derived()
    #expect(arrival(of: derived) === derived)
    #expect(arrival(of: derived as Base) === derived)
    #expect(arrival(of: derived as any Error) as? Base === derived)
    #expect(arrival(of: Large()) == Large())
    #expect(arrival(of: TestError.first) == .first)
  }
}
