import Combine
import Foundation
import XCTest

/// A subject that replays its last values to new subscribers.
public final class ReplaySubject<Output, Failure: Error>: Subject {
  private var buffer = [Output]()
  private let bufferSize: Int
  private var subscriptions = [ReplaySubjectSubscription<Output, Failure>]()
  private var completion: Subscribers.Completion<Failure>?
  private let lock = NSRecursiveLock()

  public init(_ bufferSize: Int = 0) {
    self.bufferSize = bufferSize
  }

  public func send(subscription: Subscription) {
    lock.lock(); defer { lock.unlock() }
    subscription.request(.unlimited)
  }

  public func send(_ value: Output) {
    lock.lock(); defer { lock.unlock() }
    guard completion == nil else { return }
    buffer.append(value)
    buffer = buffer.suffix(bufferSize)
    subscriptions.forEach { $0.receive(value) }
  }

  public func send(completion: Subscribers.Completion<Failure>) {
    lock.lock(); defer { lock.unlock() }
    self.completion = completion
    subscriptions.forEach { $0.receive(completion: completion) }
  }

  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Failure == Failure, Downstream.Input == Output {
    lock.lock(); defer { lock.unlock() }
    let subscription = ReplaySubjectSubscription<Output, Failure>(downstream: AnySubscriber(subscriber))
    subscriber.receive(subscription: subscription)
    subscriptions.append(subscription)
    subscription.replay(buffer, completion: completion)
  }
}

public final class ReplaySubjectSubscription<Output, Failure: Error>: Subscription {
  private let downstream: AnySubscriber<Output, Failure>
  private var isCompleted = false
  private var demand: Subscribers.Demand = .none

  public init(downstream: AnySubscriber<Output, Failure>) {
    self.downstream = downstream
  }

  public func request(_ newDemand: Subscribers.Demand) {
    demand += newDemand
  }

  public func cancel() {
    isCompleted = true
  }

  public func receive(_ value: Output) {
    guard !isCompleted, demand > 0 else { return }
    demand += downstream.receive(value)
    demand -= 1
  }

  public func receive(completion: Subscribers.Completion<Failure>) {
    guard !isCompleted else { return }
    isCompleted = true
    downstream.receive(completion: completion)
  }

  public func replay(_ values: [Output], completion: Subscribers.Completion<Failure>?) {
    guard !isCompleted else { return }
    values.forEach { value in receive(value) }
    if let completion = completion { receive(completion: completion) }
  }
}

extension Publisher {
  public func shareReplay(_ bufferSize: Int)
    -> Publishers.Autoconnect<Publishers.Multicast<Self, ReplaySubject<Output, Failure>>>
  {
    multicast(subject: ReplaySubject(bufferSize)).autoconnect()
  }
}

/// A subject that cannot end.
@propertyWrapper
public final class Relay<Output>: Publisher {
  public typealias Failure = Never

  private let subject: CurrentValueSubject<Output, Never>

  public var wrappedValue: Output {
    get { subject.value }
    set { subject.send(newValue) }
  }

  public var projectedValue: Relay<Output> { self }

  public init(wrappedValue: Output) {
    subject = .init(wrappedValue)
  }

  public func accept(_ value: Output) {
    subject.send(value)
  }

  public func receive<S>(subscriber: S) where S: Subscriber, Never == S.Failure, Output == S.Input {
    subject.receive(subscriber: subscriber)
  }

  deinit {
    subject.send(completion: .finished)
  }
}

final class ReplaySubjectTests: XCTestCase {
  private var cancellables = Set<AnyCancellable>()

  func testReplaysToLateSubscribers() {
    let subject = ReplaySubject<Int, Never>(2)
    (1...3).forEach(subject.send(_:))
    var values = [Int]()
    var isFinished = false
    subject.sink(receiveCompletion: { _ in isFinished = true }, receiveValue: { values.append($0) })
      .store(in: &cancellables)
    XCTAssertEqual(values, [2, 3])
    subject.send(4)
    subject.send(completion: .finished)
    XCTAssertEqual(values, [2, 3, 4])
    XCTAssertTrue(isFinished)
  }

  func testShareReplay() {
    var subscriptionCount = 0
    let source = PassthroughSubject<String, Error>()
    let shared =
      source
      .handleEvents(receiveSubscription: { _ in subscriptionCount += 1 })
      .shareReplay(1)
    var first = [String](), second = [String]()
    shared.sink(receiveCompletion: { _ in }, receiveValue: { first.append($0) }).store(in: &cancellables)
    source.send("a")
    shared.sink(receiveCompletion: { _ in }, receiveValue: { second.append($0) }).store(in: &cancellables)
    source.send("b")
    XCTAssertEqual(subscriptionCount, 1)
    XCTAssertEqual(first, ["a", "b"])
    XCTAssertEqual(second, ["a", "b"])
  }

  func testSubscribesToAnotherPublisher() {
    let subject = ReplaySubject<Int, Never>(5)
    [1, 2, 3].publisher.subscribe(subject).store(in: &cancellables)
    var values = [Int]()
    subject.collect().sink { values = $0 }.store(in: &cancellables)
    XCTAssertEqual(values, [1, 2, 3])
  }

  func testRelay() {
    final class Model {
      @Relay var name = "none"
    }
    var model: Model? = Model()
    var log = [String]()
    model!.$name
      .sink(receiveCompletion: { log.append("\($0)") }, receiveValue: { log.append($0) })
      .store(in: &cancellables)
    model?.name = "one"
    model?.$name.accept("two")
    model = nil
    XCTAssertEqual(log, ["none", "one", "two", "finished"])
  }
}
