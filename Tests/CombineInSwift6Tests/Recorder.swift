import Combine
import Foundation
import Testing

// Names of this module's own, some of which other modules have too.

enum Event<Value, Failure: Error> {
  case next(Value)
  case error(Failure)
  case completed
}

extension Event: Equatable where Value: Equatable, Failure: Equatable {}

protocol Observer<Input, Failure>: Subscriber {
  func on(_ event: Event<Input, Failure>)
}

extension Observer {
  func receive(_ input: Input) -> Subscribers.Demand {
    on(.next(input))
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: on(.completed)
    case .failure(let error): on(.error(error))
    }
  }
}

protocol Clock {
  var time: Int { get }
}

final class TestClock: Clock {
  var time = 0
}

final class Recorder<Input, Failure: Error>: Observer {
  struct Recorded {
    let time: Int
    let event: Event<Input, Failure>
  }

  private let clock: any Clock
  private(set) var recorded: [Recorded] = []
  private var subscription: (any Subscription)?

  init(clock: some Clock) {
    self.clock = clock
  }

  var events: [Event<Input, Failure>] { recorded.map(\.event) }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.unlimited)
  }

  func on(_ event: Event<Input, Failure>) {
    recorded.append(Recorded(time: clock.time, event: event))
  }

  func cancel() {
    subscription?.cancel()
    subscription = nil
  }
}

extension Recorder: Cancellable {}

extension Publisher {
  func record(with clock: some Clock) -> Recorder<Output, Failure> {
    let recorder = Recorder<Output, Failure>(clock: clock)
    subscribe(recorder)
    return recorder
  }
}

struct Record {
  let title: String
}

struct RecorderTests {
  let clock = TestClock()

  @Test func `events have the times of the clock`() {
    let subject = PassthroughSubject<String, URLError>()
    let recorder = subject.record(with: clock)
    subject.send("a")
    clock.time = 5
    subject.send("b")
    subject.send(completion: .failure(URLError(.badURL)))
    #expect(recorder.events == [.next("a"), .next("b"), .error(URLError(.badURL))])
    #expect(recorder.recorded.map(\.time) == [0, 5, 5])
  }

  @Test func `a cancelled recorder records no more`() {
    let subject = CurrentValueSubject<Int, Never>(0)
    let recorder = subject.record(with: clock)
    recorder.cancel()
    subject.send(1)
    #expect(recorder.events == [.next(0)])
  }

  @Test func `the module's name leads to what is shadowed`() {
    let record = Combine.Record<Int, Never>(output: [1], completion: .finished)
    #expect(record.record(with: clock).events == [.next(1), .completed])
    #expect(Record(title: "mine").title == "mine")
  }
}
