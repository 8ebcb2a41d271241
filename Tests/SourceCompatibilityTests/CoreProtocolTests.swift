import Combine
import Foundation
import Testing

/// A user-defined publisher.
private struct Countdown: Publisher {
  typealias Output = Int
  typealias Failure = Never

  let start: Int

  func receive<S>(subscriber: S) where S: Subscriber, Never == S.Failure, Int == S.Input {
    subscriber.receive(subscription: CountdownSubscription(start, subscriber))
  }
}

private final class CountdownSubscription<S: Subscriber>: Subscription where S.Input == Int, S.Failure == Never {
  private var value: Int
  private var subscriber: S?

  init(_ value: Int, _ subscriber: S) {
    self.value = value
    self.subscriber = subscriber
  }

  func request(_ demand: Subscribers.Demand) {
    var demand = demand
    while demand > 0, let subscriber {
      demand -= 1
      demand += subscriber.receive(value)
      if value == 0 {
        self.subscriber = nil
        subscriber.receive(completion: .finished)
      }
      value -= 1
    }
  }

  func cancel() { subscriber = nil }
}

/// A user-defined subscriber.
private final class Printer: Subscriber {
  typealias Input = Int
  typealias Failure = Never

  var printed: [Int] = []

  func receive(subscription: any Subscription) { subscription.request(.max(2)) }

  func receive(_ input: Int) -> Subscribers.Demand {
    printed.append(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {}
}

/// A subscriber of signals.
private final class Counter: Subscriber {
  typealias Input = Void
  typealias Failure = Never

  var count = 0

  func receive(subscription: any Subscription) { subscription.request(.unlimited) }

  func receive(_ input: Void) -> Subscribers.Demand {
    count += 1
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {}
}

/// A user-defined subject.
private final class Relay: Subject {
  typealias Output = Int
  typealias Failure = Never

  private let subject = PassthroughSubject<Int, Never>()

  func send(_ value: Int) { subject.send(value) }
  func send(completion: Subscribers.Completion<Never>) { subject.send(completion: completion) }
  func send(subscription: any Subscription) { subject.send(subscription: subscription) }
  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never { subject.subscribe(subscriber) }
}

/// A user-defined connectable publisher.
private struct Connectable: ConnectablePublisher {
  typealias Output = Int
  typealias Failure = Never

  let subject = PassthroughSubject<Int, Never>()

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never { subject.subscribe(subscriber) }
  func connect() -> any Cancellable { numbers(1, 2).sink { subject.send($0) } }
}

/// A user-defined cancellable.
private final class Stopper: Cancellable {
  var isCancelled = false

  func cancel() { isCancelled = true }
}

/// A user-defined coder.
private struct Coder: TopLevelEncoder, TopLevelDecoder {
  typealias Output = Data
  typealias Input = Data

  func encode<T: Encodable>(_ value: T) throws -> Data { try JSONEncoder().encode(value) }
  func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { try JSONDecoder().decode(type, from: data) }
}

/// An object with an identifier.
private final class Identified: CustomCombineIdentifierConvertible {}

/// A user-defined scheduler, whose time is a number.
private struct OwnScheduler: Scheduler {
  struct SchedulerTimeType: Strideable {
    struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric {
      var value: Int

      var magnitude: Int { abs(value) }

      init(_ value: Int) { self.value = value }
      init(integerLiteral value: Int) { self.value = value }
      init?<T: BinaryInteger>(exactly source: T) { value = Int(source) }

      static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.value + rhs.value) }
      static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.value - rhs.value) }
      static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.value * rhs.value) }
      static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }
      static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }
      static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
      static func < (lhs: Self, rhs: Self) -> Bool { lhs.value < rhs.value }

      static func seconds(_ s: Int) -> Self { Self(s * 1_000) }
      static func seconds(_ s: Double) -> Self { Self(Int(s * 1_000)) }
      static func milliseconds(_ ms: Int) -> Self { Self(ms) }
      static func microseconds(_ us: Int) -> Self { Self(us / 1_000) }
      static func nanoseconds(_ ns: Int) -> Self { Self(ns / 1_000_000) }
    }

    var value: Int

    func distance(to other: Self) -> Stride { Stride(other.value - value) }
    func advanced(by n: Stride) -> Self { Self(value: value + n.value) }
  }

  struct SchedulerOptions { var name = "" }

  var now: SchedulerTimeType { SchedulerTimeType(value: 0) }
  var minimumTolerance: SchedulerTimeType.Stride { 0 }

  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) { action() }

  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) { action() }

  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    action()
    return AnyCancellable {}
  }
}

private final class Model: ObservableObject {
  @Published var name = "Ada"
}

private final class OwnModel: ObservableObject {
  let objectWillChange = PassthroughSubject<String, Never>()
  var name = "Ada" { willSet { objectWillChange.send(newValue) } }
}

private final class PlainModel: ObservableObject {
  var count = 0 { willSet { objectWillChange.send() } }
}

struct CoreProtocolTests {
  @Test func `Publisher has Combine's requirements`() {
    let printer = Printer()
    Countdown(start: 5).receive(subscriber: printer)
    Countdown(start: 3).subscribe(printer)
    #expect(printer.printed == [5, 4, 3, 2])
    let subject = CurrentValueSubject<Int, Never>(9)
    let cancellable: AnyCancellable = Countdown(start: 3).subscribe(subject)
    #expect(subject.value == 0)
    cancellable.cancel()
  }

  @Test func `Subscriber has Combine's requirements`() {
    let counter = Counter()
    _ = counter.receive()
    Just(()).subscribe(counter)
    #expect(counter.count == 2)
    #expect(counter.combineIdentifier == CombineIdentifier(counter))
    let subscriber: any Subscriber<Int, Never> = Printer()
    _ = subscriber.receive(1)
  }

  @Test func `Subscription has Combine's requirements`() {
    let subscription: any Subscription = CountdownSubscription(1, Printer())
    subscription.request(.max(1))
    subscription.cancel()
    _ = subscription.combineIdentifier
  }

  @Test func `Subject has Combine's requirements`() {
    let relay = Relay()
    let signals = PassthroughSubject<Void, Never>()
    var log: [Int] = []
    let cancellables = [relay.sink { log.append($0) }, signals.sink { log.append(0) }]
    relay.send(1)
    signals.send()
    signals.send(())
    relay.send(subscription: Subscriptions.empty)
    relay.send(completion: .finished)
    for cancellable in cancellables { cancellable.cancel() }
    #expect(log == [1, 0, 0])
  }

  @Test func `ConnectablePublisher has Combine's requirements`() {
    let connectable = Connectable()
    var log: [Int] = []
    let cancellable = connectable.sink { log.append($0) }
    let connection: any Cancellable = connectable.connect()
    connection.cancel()
    cancellable.cancel()
    #expect(log == [1, 2])
    expectType(connectable.autoconnect(), is: Publishers.Autoconnect<Connectable>.self)
  }

  @Test func `Cancellable has Combine's requirements`() {
    let stopper = Stopper()
    var array: [AnyCancellable] = []
    var contiguous = ContiguousArray<AnyCancellable>()
    var set = Set<AnyCancellable>()
    stopper.store(in: &array)
    stopper.store(in: &contiguous)
    stopper.store(in: &set)
    AnyCancellable {}.store(in: &array)
    AnyCancellable {}.store(in: &set)
    #expect((array.count, contiguous.count, set.count) == (2, 1, 2))
    set.removeAll()
    #expect(stopper.isCancelled)
  }

  @Test func `CombineIdentifier has Combine's members`() {
    let object = Identified()
    #expect(object.combineIdentifier == CombineIdentifier(object))
    #expect(CombineIdentifier() != CombineIdentifier())
    #expect(Set([CombineIdentifier(object), CombineIdentifier(object)]).count == 1)
    #expect(CombineIdentifier(object).description.hasPrefix("0x"))
    let convertible: any CustomCombineIdentifierConvertible = object
    #expect(convertible.combineIdentifier == object.combineIdentifier)
  }

  @Test func `TopLevelEncoder and TopLevelDecoder`() throws {
    let data: Data = try Coder().encode(Point())
    #expect(try Coder().decode(Point.self, from: data) == Point())
    func decode<D: TopLevelDecoder>(_ decoder: D, _ input: D.Input) throws -> Point {
      try decoder.decode(Point.self, from: input)
    }
    #expect(try decode(Coder(), data) == Point())
  }

  @Test func `Scheduler has Combine's requirements`() {
    let scheduler = OwnScheduler()
    var count = 0
    let date = scheduler.now.advanced(by: .seconds(1))
    scheduler.schedule { count += 1 }
    scheduler.schedule(options: nil) { count += 1 }
    scheduler.schedule(after: date) { count += 1 }
    scheduler.schedule(after: date, tolerance: scheduler.minimumTolerance) { count += 1 }
    scheduler.schedule(after: date, tolerance: 1, options: .init(name: "a")) { count += 1 }
    let repetitions: [any Cancellable] = [
      scheduler.schedule(after: date, interval: .milliseconds(5)) { count += 1 },
      scheduler.schedule(after: date, interval: .microseconds(5_000), tolerance: 1) { count += 1 },
      scheduler.schedule(after: date, interval: .nanoseconds(5), tolerance: .seconds(0.5), options: nil) { count += 1 },
    ]
    for repetition in repetitions { repetition.cancel() }
    #expect(count == 8)
    #expect(run(numbers(1, 2).delay(for: .seconds(1), scheduler: scheduler)) == ["1", "2", "finished"])
    #expect(run(numbers(1, 2).debounce(for: 1, scheduler: scheduler, options: .init(name: "a"))).last == "finished")
    #expect(run(numbers(1, 2).collect(.byTime(scheduler, 1))) == ["[1]", "[2]", "finished"])
  }

  @Test func `ObservableObject has Combine's requirements`() {
    let (model, own, plain) = (Model(), OwnModel(), PlainModel())
    var log: [String] = []
    let cancellables = [
      model.objectWillChange.sink { log.append("model") },
      own.objectWillChange.sink { log.append($0) },
      plain.objectWillChange.sink { log.append("plain") },
    ]
    model.name = "Bob"
    own.name = "Bob"
    plain.count = 1
    for cancellable in cancellables { cancellable.cancel() }
    #expect(log == ["model", "Bob", "plain"])
    expectType(model.objectWillChange, is: ObservableObjectPublisher.self)
    expectType(ObservableObjectPublisher(), is: ObservableObjectPublisher.self)
    func attach<Object: ObservableObject>(_ object: Object) -> AnyCancellable
    where Object.ObjectWillChangePublisher == ObservableObjectPublisher {
      object.objectWillChange.sink { _ in }
    }
    attach(plain).cancel()
  }

  @Test func `primary associated types`() {
    func odd() -> some Publisher<Int, Never> { numbers(1, 3) }
    func all(_ publisher: some Publisher<Int, Never>) -> [String] { run(publisher) }
    func anyOf(_ publisher: any Publisher<Int, Never>) -> [String] { all(publisher) }
    func attach(_ subject: some Subject<Int, Never>) { subject.send(1) }
    func connectable() -> some ConnectablePublisher<Int, Never> { odd().makeConnectable() }
    func pass(_ subscriber: some Subscriber<Int, Never>) { odd().subscribe(subscriber) }
    func date<Time: Strideable>(of scheduler: some Scheduler<Time>) -> Time { scheduler.now }
    attach(PassthroughSubject())
    attach(CurrentValueSubject(1))
    pass(Printer())
    #expect(all(odd()) == ["1", "3", "finished"])
    #expect(anyOf(odd()) == ["1", "3", "finished"])
    #expect(run(connectable().autoconnect()) == ["1", "3", "finished"])
    #expect(date(of: OwnScheduler()).value == 0)
    let subjects: [any Subject] = [PassthroughSubject<Int, Never>(), CurrentValueSubject<String, TestError>("")]
    #expect(subjects.count == 2)
  }
}
