import Dispatch
import Foundation
import StreamFoundation
import Streams
import Testing

@testable import StreamTesting

// `@testable`: a recorder with a clock that sends another value while it is read.

@Suite
struct RecorderTests {
  private let scheduler = DispatchQueue.test

  // MARK: Recorded events

  @Test func `records events with their times`() {
    let recorder = scheduler.record(scheduler.hot("-a--b|"))
    scheduler.run()
    #expect(
      recorder.history == [
        .subscription(at: 0), .next(at: .milliseconds(1), "a"), .next(at: .milliseconds(4), "b"),
        .completed(at: .milliseconds(5)),
      ])
    #expect(recorder.events == Array(recorder.history.dropFirst()))
    #expect(recorder.values == ["a", "b"])
    #expect(recorder.completion == .finished)
    #expect(!recorder.isLive)
  }

  @Test func `records a failure`() {
    let recorder = scheduler.record(scheduler.hot("-#", error: TestFailure()))
    scheduler.run()
    #expect(recorder.events == [.failure(at: .milliseconds(1), TestFailure())])
    #expect(recorder.completion == .failure(TestFailure()))
  }

  @Test func `records its cancellation, and nothing afterward`() {
    let recorder = scheduler.record(scheduler.hot("-a--b|"))
    scheduler.advance(by: .milliseconds(2))
    recorder.cancel()
    recorder.cancel()
    scheduler.run()
    #expect(
      recorder.history == [
        .subscription(at: 0), .next(at: .milliseconds(1), "a"), .cancellation(at: .milliseconds(2)),
      ])
    #expect(recorder.completion == nil)
  }

  @Test func `times are relative to the beginning of the scheduler's time`() {
    scheduler.advance(by: .seconds(3))
    let recorder = scheduler.record(Just(1))
    #expect(recorder.history.map(\.time) == [3, 3, 3])
  }

  @Test func `times are exact for run loops too, whose time is a calendar date`() {
    let scheduler = RunLoop.test
    let recorder = scheduler.record(
      scheduler.hot(.next(at: 0.03, 1), .next(at: 0.1, 2), .next(at: 3600.007, 3)).delay(for: 0.2, scheduler: scheduler)
    )
    scheduler.run()
    #expect(recorder.events == [.next(at: 0.23, 1), .next(at: .milliseconds(300), 2), .next(at: 3600.207, 3)])
    #expect(scheduler.elapsed == 3600.207)
  }

  @Test func `without a scheduler all times are zero`() {
    let recorder = [1, 2].publisher.record()
    #expect(recorder.events == [.next(at: 0, 1), .next(at: 0, 2), .completed(at: 0)])
  }

  @Test func `failures that are not equatable are compared by type and description`() {
    struct Plain: Error { var number: Int }
    typealias Event = Recorded<Int, any Error, Int>
    #expect(Event.failure(at: 0, Plain(number: 1)) == .failure(at: 0, Plain(number: 1)))
    #expect(Event.failure(at: 0, Plain(number: 1)) != .failure(at: 0, Plain(number: 2)))
    #expect(Event.failure(at: 0, Plain(number: 1)) != .failure(at: 0, TestFailure()))
    #expect(Event.failure(at: 0, TestFailure()) == .failure(at: 0, TestFailure()))
  }

  @Test func `events are described in words`() {
    typealias Event = Recorded<String, TestFailure, DispatchQueue.SchedulerTimeType.Stride>
    let events: [Event] = [
      .subscription(at: 0), .next(at: .milliseconds(1500), "a"), .completed(at: 60), .failure(at: -1, TestFailure()),
      .cancellation(at: .microseconds(12)),
    ]
    #expect(
      events.map(\.description) == [
        "0 s subscribed", "1.5 s a", "60 s finished", "-1 s failed: TestFailure()", "12 us cancelled",
      ])
    #expect(RecordedRequest.request(at: events[1].time, .max(2)).description == "1.5 s max(2)")
  }

  // MARK: Demand

  @Test func `requests unlimited demand by default`() {
    let recorder = scheduler.record([1, 2].publisher)
    #expect(recorder.requests == [.request(at: 0, .unlimited)])
    #expect(recorder.outstandingDemand == .unlimited)
  }

  @Test func `requests the given demand initially and with each value`() {
    let some = scheduler.record((1...9).publisher, demand: .max(2))
    #expect(some.values == [1, 2])
    #expect(some.outstandingDemand == .none)

    let stepwise = scheduler.record((1...3).publisher, demand: .initial(.max(1), perValue: .max(1)))
    #expect(stepwise.values == [1, 2, 3])
    #expect(stepwise.requests.map(\.demand) == [.max(1), .max(1), .max(1), .max(1)])
  }

  @Test func `requests demand at given times`() {
    let recorder = scheduler.record(
      (1...9).publisher,
      demand: .initial(.none, requests: [.request(at: 2, .max(1)), .request(at: 5, .max(2))]))
    #expect(recorder.requests == [])
    scheduler.run()
    #expect(recorder.events == [.next(at: 2, 1), .next(at: 5, 2), .next(at: 5, 3)])
    #expect(recorder.requests == [.request(at: 2, .max(1)), .request(at: 5, .max(2))])
  }

  @Test func `a demand diagram begins with the recording`() {
    scheduler.advance(by: 1)
    let recorder = scheduler.record((1...20).publisher, demand: "1--(12)-'10'*")
    #expect(recorder.values == [1])
    scheduler.advance(by: .milliseconds(3))
    #expect(recorder.values == [1, 2, 3, 4])
    scheduler.advance(by: .milliseconds(2))
    #expect(recorder.values.count == 14)
    scheduler.run()
    #expect(recorder.completion == .finished)
    #expect(recorder.requests.map(\.time.magnitude).map { ($0 - 1_000_000_000) / 1_000_000 } == [0, 3, 3, 5, 6])
  }

  @Test func `an invalid demand diagram is reported`() {
    let (_, issues) = IssueReporter.withCapture { scheduler.record(Just(1), demand: "1-a-0|") }
    #expect(issues.count == 1)
    for column in [3, 5, 6] {
      let reason = "a demand is a number of at least 1, or * for unlimited demand, in column \(column)"
      #expect(issues.first?.message.contains(reason) == true)
    }
  }

  @Test func `a test can request demand by itself`() {
    let recorder = scheduler.record((1...9).publisher, demand: .none)
    recorder.request(.max(2))
    recorder.request(.none)
    #expect(recorder.values == [1, 2])
  }

  // MARK: Mistakes of publishers

  @Test func `a value without demand is reported at the line that created the recorder`() {
    let rogue = Rogue<Int> { subscriber in
      _ = subscriber.receive(1)
      _ = subscriber.receive(2)
    }
    let line = #line + 1 as UInt
    let (recorder, issues) = IssueReporter.withCapture { rogue.record(demand: .max(1)) }
    #expect(issues.map(\.message) == ["A value arrived that was not requested: 2, at 0 s."])
    #expect(issues.first?.line == line)
    #expect(recorder.values == [1, 2])
  }

  @Test func `signals after completion are reported and recorded`() {
    let (recorder, issues) = IssueReporter.withCapture {
      Rogue<Int> { subscriber in
        subscriber.receive(completion: .finished)
        _ = subscriber.receive(2)
        subscriber.receive(completion: .finished)
      }.record()
    }
    #expect(
      issues.map(\.message) == [
        "A signal arrived after the end: 2, at 0 s.", "A signal arrived after the end: finished, at 0 s.",
      ])
    #expect(recorder.events.count == 3)
  }

  @Test func `a signal before the subscription is reported`() {
    let (_, issues) = IssueReporter.withCapture { Rogue<Int>(subscribes: false) { _ = $0.receive(1) }.record() }
    #expect(issues.map(\.message) == ["A signal arrived before the subscription: 1, at 0 s."])
  }

  @Test func `a second subscription is reported and cancelled`() {
    let second = CountingSubscription()
    let (recorder, issues) = IssueReporter.withCapture {
      Rogue<Int> { subscriber in
        subscriber.receive(subscription: second)
        _ = subscriber.receive(1)
      }.record()
    }
    #expect(issues.map(\.message) == ["The recorder received a second subscription and cancelled it."])
    #expect(second.cancelCount == 1)
    #expect(recorder.values == [1])
  }

  @Test func `signals that overlap are reported`() {
    // The recorder reads the time while it receives a value, and the time's closure sends another value meanwhile.
    var onTime: () -> Void = {}
    let place = CodeLocation(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
    let recorder = Recorder<Int, Never, ImmediateTime.Stride>(
      demand: .unlimited, frame: 0, beginning: 0,
      now: {
        onTime()
        return 0
      }, looseEnds: nil, reasonsForMissingValues: ReasonsForMissingValues(kind: Int.self, pending: { nil }),
      location: place)
    let rogue = Rogue<Int> { subscriber in
      var calls = 0
      onTime = {
        calls += 1
        if calls == 2 { _ = subscriber.receive(2) }
      }
      _ = subscriber.receive(1)
      onTime = {}
    }
    let (_, issues) = IssueReporter.withCapture { rogue.subscribe(recorder.subscriber) }
    #expect(issues.map(\.message) == ["A signal arrived while another was being delivered: 2, at 0 s."])
    #expect(recorder.values == [1, 2])
  }

  @Test func `a value in flight during cancellation is neither recorded nor reported`() {
    let subscribers = Log<UncheckedBox<AnySubscriber<Int, Never>>>()
    let recorder = Rogue<Int> { subscribers.append(UncheckedBox(value: $0)) }.record()
    recorder.cancel()
    _ = subscribers.all[0].value.receive(1)
    #expect(recorder.history.map(\.event) == [.subscription, .cancellation])
  }

  // MARK: Lifetime

  @Test func `releasing the recorder cancels the stream`() {
    var log: [String] = []
    do {
      let recorder = scheduler.record(
        PassthroughSubject<Int, Never>().handleEvents(receiveCancel: { log.append("cancelled") }))
      #expect(recorder.isLive)
    }
    #expect(log == ["cancelled"])
  }

  @Test func `a recording of a live stream retains neither itself nor the scheduler`() {
    weak var scheduler: TestSchedulerOf<DispatchQueue>?
    weak var recorder: AnyObject?
    do {
      let strong = DispatchQueue.test
      scheduler = strong
      let subject = PassthroughSubject<Int, Never>()
      let recording = strong.record(
        subject.debounce(for: 1, scheduler: strong), demand: .initial(.unlimited, requests: [.request(at: 9, .max(1))]))
      recorder = recording
      subject.send(1)
    }
    #expect(scheduler == nil)
    #expect(recorder == nil)
  }

  @Test func `a subscription that arrives after cancellation is cancelled`() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = scheduler.record(subject.subscribe(on: scheduler))
    let other = scheduler.record(subject.subscribe(on: scheduler))
    recorder.cancel()
    scheduler.run()
    subject.send(1)
    #expect(other.values == [1])
    #expect(recorder.values == [])
    #expect(!recorder.isLive)
  }
}

/// A publisher that behaves as a closure determines, whether or not it conforms to the rules.
struct Rogue<Output>: Publisher {
  typealias Failure = Never
  var subscribes = true
  let act: (AnySubscriber<Output, Never>) -> Void

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    if subscribes { subscriber.receive(subscription: Subscriptions.empty) }
    act(AnySubscriber(subscriber))
  }
}

/// Carries a value that is not `Sendable` where there is only one thread.
struct UncheckedBox<Value>: @unchecked Sendable {
  let value: Value
}

final class CountingSubscription: Subscription {
  private(set) var cancelCount = 0

  func request(_ demand: Subscribers.Demand) {}
  func cancel() { cancelCount += 1 }
}
