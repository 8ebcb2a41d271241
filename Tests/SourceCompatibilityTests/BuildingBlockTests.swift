import Combine
import Foundation
import Testing

private final class Target {
  var value = 0
  @Published var text = "a"
  @Published(initialValue: 1) var number: Int
}

struct BuildingBlockTests {
  @Test func `AnyPublisher has Combine's members`() {
    let publisher: AnyPublisher<Int, Never> = AnyPublisher(Just(1))
    expectType(publisher.eraseToAnyPublisher(), is: AnyPublisher<Int, Never>.self)
    #expect("\(publisher)" == "AnyPublisher")
    #expect(publisher.description == "AnyPublisher")
    #expect((publisher as any CustomPlaygroundDisplayConvertible).playgroundDescription as? String == "AnyPublisher")
  }

  @Test func `AnySubscriber has Combine's members`() {
    let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
    let subscribers: [AnySubscriber<Int, Never>] = [
      AnySubscriber(sink), AnySubscriber(PassthroughSubject<Int, Never>()), AnySubscriber(),
      AnySubscriber(receiveSubscription: { $0.request(.unlimited) }),
      AnySubscriber(receiveSubscription: nil, receiveValue: { _ in .none }, receiveCompletion: nil),
      AnySubscriber(receiveCompletion: { _ in }),
    ]
    for subscriber in subscribers {
      numbers(1).subscribe(subscriber)
      _ = subscriber.combineIdentifier
      _ = subscriber.customMirror
      _ = subscriber.playgroundDescription
      #expect(!subscriber.description.isEmpty)
      subscriber.receive(subscription: Subscriptions.empty)
      _ = subscriber.receive(1)
      subscriber.receive(completion: .finished)
    }
    let reflectable: any CustomReflectable = subscribers[0]
    #expect(reflectable.customMirror.children.isEmpty)
  }

  @Test func `AnyCancellable has Combine's members`() {
    var log: [Int] = []
    do {
      _ = AnyCancellable { log.append(1) }
      let second = AnyCancellable(AnyCancellable { log.append(2) })
      #expect(second == second)
      #expect(Set([second, second]).count == 1)
      second.cancel()
    }
    #expect(log == [1, 2])
  }

  @Test func `Subscribers.Sink has Combine's members`() {
    let sink = Subscribers.Sink<Int, TestError>(receiveCompletion: { _ in }, receiveValue: { _ in })
    let receiveValue: (Int) -> Void = sink.receiveValue
    let receiveCompletion: (Subscribers.Completion<TestError>) -> Void = sink.receiveCompletion
    receiveValue(1)
    receiveCompletion(.finished)
    failing(1).subscribe(sink)
    sink.receive(subscription: Subscriptions.empty)
    _ = sink.receive(1)
    sink.receive(completion: .finished)
    sink.cancel()
    #expect(sink.description == "Sink")
    #expect(sink.playgroundDescription as? String == "Sink")
    #expect(sink.customMirror.children.isEmpty)
    let parts: (any CustomStringConvertible & CustomReflectable & CustomPlaygroundDisplayConvertible) = sink
    #expect(parts.description == "Sink")
  }

  @Test func `Subscribers.Assign has Combine's members`() {
    let target = Target()
    let assign = Subscribers.Assign(object: target, keyPath: \.value)
    expectType(assign, is: Subscribers.Assign<Target, Int>.self)
    #expect(assign.object === target)
    #expect(assign.keyPath == \Target.value)
    #expect(assign.description.hasPrefix("Assign"))
    numbers(1, 2).subscribe(assign)
    #expect(target.value == 2)
    #expect(assign.object == nil)
    assign.receive(subscription: Subscriptions.empty)
    _ = assign.receive(1)
    assign.receive(completion: .finished)
    assign.cancel()
    let parts: (any CustomStringConvertible & CustomReflectable & CustomPlaygroundDisplayConvertible) = assign
    #expect(parts.customMirror.children.count == 2)
  }

  @Test func `Subscribers.Completion has Combine's members`() throws {
    let failure = Subscribers.Completion<TestError>.failure(.first)
    #expect(failure != .finished)
    #expect(Set([failure, failure]).count == 1)
    let coded = try JSONEncoder().encode(failure)
    #expect(try JSONDecoder().decode(Subscribers.Completion<TestError>.self, from: coded) == failure)
    switch failure {
    case .finished: Issue.record("it failed")
    case .failure(let error): #expect(error == .first)
    }
  }

  @Test func `Subscriptions.empty is available`() {
    let subscription: any Subscription = Subscriptions.empty
    subscription.request(.max(1))
    subscription.cancel()
  }

  @Test func `ImmediateScheduler has Combine's members`() {
    let scheduler: ImmediateScheduler = ImmediateScheduler.shared
    let date: ImmediateScheduler.SchedulerTimeType = scheduler.now
    let stride: ImmediateScheduler.SchedulerTimeType.Stride = 1
    var count = 0
    scheduler.schedule { count += 1 }
    scheduler.schedule(after: date.advanced(by: stride)) { count += 1 }
    scheduler.schedule(after: date, interval: .seconds(1)) { count += 1 }.cancel()
    #expect(count == 3)
    #expect(stride.magnitude == 1)
    #expect(date.distance(to: date) == 0)
    #expect(run(numbers(1).receive(on: ImmediateScheduler.shared)) == ["1", "finished"])
  }

  @Test func `strategies`() {
    let prefetch: [Publishers.PrefetchStrategy] = [.keepFull, .byRequest]
    #expect(Set(prefetch).count == 2)
    let buffering: [Publishers.BufferingStrategy<TestError>] = [.dropNewest, .dropOldest, .customError { .first }]
    #expect(buffering.count == 3)
    let grouping: [Publishers.TimeGroupingStrategy<DispatchQueue>] = [
      .byTime(.main, .seconds(1)), .byTimeOrCount(.main, .seconds(1), 2),
    ]
    for strategy in grouping {
      switch strategy {
      case .byTime(let queue, let interval): #expect(queue.label == DispatchQueue.main.label && interval == .seconds(1))
      case .byTimeOrCount(let queue, let interval, let count):
        #expect(queue.label == DispatchQueue.main.label && interval == .seconds(1) && count == 2)
      }
    }
  }

  @Test func `PassthroughSubject and CurrentValueSubject`() {
    let passthrough = PassthroughSubject<Int, TestError>()
    let current = CurrentValueSubject<Int, TestError>(1)
    current.value += 1
    #expect(current.value == 2)
    passthrough.send(1)
    current.send(3)
    passthrough.send(subscription: Subscriptions.empty)
    current.send(subscription: Subscriptions.empty)
    passthrough.send(completion: .failure(.first))
    current.send(completion: .finished)
    #expect(run(passthrough) == ["first"])
    #expect(run(current) == ["finished"])
  }

  @Test func `Published has Combine's members`() {
    let target = Target()
    expectType(target.$text, is: Published<String>.Publisher.self)
    expectType(Published<Int>.Publisher.Output.self, is: Int.Type.self)
    expectType(Published<Int>.Publisher.Failure.self, is: Never.Type.self)
    var log: [String] = []
    let cancellable = target.$text.sink { log.append("\($0) \(target.text)") }
    target.text = "b"
    numbers(3, 4).map { "\($0)" }.assign(to: &target.$text)
    cancellable.cancel()
    #expect(log == ["a a", "b a", "3 b", "4 3"])
    #expect(target.number == 1)
    _ = Published(wrappedValue: 1)
    _ = Published(initialValue: 1)
  }
}
