import Dispatch
import Foundation
import StreamAlgorithms
import StreamFoundation
import StreamInspection
import StreamSchedulers
import Streams
import SuiteSupport
import XCTest

/// Streams that wait for a signal that somebody has missed: an operator that goes on after an end, code that doesn't pass demand
/// or a completion on, a gate, a boundary, or another instance.
final class MissedSignalXCTests: XCTestCase {
  private let subject = PassthroughSubject<Int, Never>()
  private let state = CurrentValueSubject<Int, Never>(1)

  override func setUp() { StreamInspector.start() }

  override func tearDown() { StreamInspector.stop() }

  private func expect(_ text: String, of stream: AnyCancellable, caller: UInt = #line) {
    let diagnosis = stream.inspection.diagnosis
    XCTAssert(Self.withoutPlaces(diagnosis).contains(text), diagnosis, line: caller)
  }

  private static func withoutPlaces(_ text: String) -> String {
    text.replacing(#/ \([A-Za-z]+\.swift:[0-9]+\)/#, with: "")
  }

  func testOperatorsThatGoOnAfterAnEnd() {
    let appended = state.append(subject).sink(isolation: nil) { _ in }
    let prepended = subject.prepend(state).sink(isolation: nil) { _ in }
    let switched = state.filter { $0 > 1 }.switchIfEmpty(to: subject).sink(isolation: nil) { _ in }
    let polled = state.poll(every: .seconds(1), scheduler: DispatchQueue.test).sink(isolation: nil) { _ in }
    let source = "when CurrentValueSubject<Int, Never> has finished."
    expect("append subscribes to the publisher that follows \(source) Before: 1 value delivered", of: appended)
    expect("prepend subscribes to the publisher that follows \(source) Before: 1 value delivered", of: prepended)
    expect("switchIfEmpty(to:) switches, if there has been no value, \(source)", of: switched)
    expect("poll(every:scheduler:) polls again \(source) Before: 1 value delivered", of: polled)
    state.send(completion: .finished)
    subject.send(1)
    expect("Idle: 2 values delivered", of: appended)
    expect("Idle: 1 value delivered", of: switched)
  }

  func testACurrentValueThatAFilterDropsIsNoStreamOfValues() {
    let stream = state.compactMap { $0 > 1 ? $0 : nil }.sink(isolation: nil) { _ in }
    expect(
      "CurrentValueSubject<Int, Never> has sent 1 value so far. That's its current value, which compactMap hasn't let through.",
      of: stream)
    state.send(0)
    expect("compactMap has received 2 values and let none through.", of: stream)
  }

  func testAnotherInstanceHasBeenSentTheValues() {
    func make() -> PassthroughSubject<Int, Never> { PassthroughSubject() }
    let (right, wrong) = (make(), make())
    let stream = right.sink(isolation: nil) { _ in }
    for value in 1...2 { wrong.send(value) }
    let first = "MissedSignalXCTests.swift:\(#line - 1)"
    guard Self.canLookUpPlaces else { return }
    expect(
      "Another subject, which the same line created, was sent 2 values (the first at \(first)), and had no subscriber.",
      of: stream)
    withExtendedLifetime((right, wrong)) {}
  }

  func testALoopWhoseDemandIsLost() async {
    let task = Task {
      for await _ in Odd(upstream: (1...10).publisher).values {}
    }
    var loop: Inspection? { StreamInspector.inspections.first { $0.parts[0].name == "for await" } }
    while loop?.diagnosis.contains("waits for values, but its request hasn't reached ClosedRange<Int>.publisher")
      != true
    {
      await Task.yield()
    }
    task.cancel()
    await task.value
  }

  func testACompletionThatIsNotPassedOn() {
    let stream = Endless(upstream: [1, 2].publisher).collect().sink(isolation: nil) { _ in }
    expect("has ended, and collect hasn't received its completion.", of: stream)
  }

  func testAGateThatHasSentNothing() {
    let gate = PassthroughSubject<Bool, Never>()
    let stream = subject.pausable(runningWhile: gate).sink(isolation: nil) { _ in }
    subject.send(1)
    expect(
      "is waiting for its gate source PassthroughSubject<Bool, Never>, which has sent this stream no value", of: stream)
    gate.send(true)
    let late = subject.pausable(runningWhile: gate).sink(isolation: nil) { _ in }
    subject.send(1)
    XCTAssertFalse(late.inspection.diagnosis.contains("is false"), late.inspection.diagnosis)
    gate.send(false)
    subject.send(2)
    expect("because the last value of PassthroughSubject<Bool, Never> is false", of: late)
  }

  func testAGateWhoseTriggerWasSentTooEarly() {
    let start = PassthroughSubject<Void, Never>()
    start.send()
    let place = "MissedSignalXCTests.swift:\(#line - 1)"
    let stream = subject.drop(untilOutputFrom: start).sink(isolation: nil) { _ in }
    subject.send(1)
    expect("drop(untilOutputFrom:) is closed and waiting for its trigger source", of: stream)
    guard Self.canLookUpPlaces else { return }
    let diagnosis = stream.inspection.diagnosis
    XCTAssert(diagnosis.contains("was sent 1 value (\(place)) before this stream subscribed to it"), diagnosis)
  }

  func testASubscriberThatHasRequestedLessThanThereIs() {
    let recorder = SignalRecorder<Int, Never>(.max(1))
    subject.flatMap { [$0, $0].publisher }.subscribe(recorder)
    for value in 1...2 { subject.send(value) }
    let diagnosis = recorder.subscription.map { Inspection(of: $0) }?.diagnosis ?? ""
    XCTAssert(Self.withoutPlaces(diagnosis).hasPrefix("No demand: 2 values are waiting in flatMap, because"), diagnosis)
    XCTAssert(diagnosis.contains("hasn't requested them."), diagnosis)
    recorder.cancel()
  }

  func testRemoveDuplicatesIsNotAccusedOfDroppingDuplicates() {
    let stream = subject.removeDuplicates().sink(isolation: nil) { _ in }
    let accused = subject.removeDuplicates { $0 <= $1 }.sink(isolation: nil) { _ in }
    for value in 1...8 { subject.send(value / 8) }
    XCTAssert(stream.inspection.diagnosis.hasPrefix("Idle: 2 values delivered"), stream.inspection.diagnosis)
    expect("removeDuplicates has let 2 of 8 values through.", of: stream)
    expect("removeDuplicates has let 1 of 8 values through. Before: 1 value delivered", of: accused)
  }

  func testASuspendedOperationQueue() {
    let queue = OperationQueue()
    queue.name = "uploads"
    queue.isSuspended = true
    let stream = subject.receive(on: queue).sink(isolation: nil) { _ in }
    subject.send(1)
    expect("1 value is waiting in receive(on:) for the queue \"uploads\", which is suspended.", of: stream)
    stream.cancel()
    queue.isSuspended = false
  }

  func testANotificationFromAnotherObject() {
    let (name, center) = (Notification.Name("saved"), NotificationCenter())
    let (one, other) = (NSObject(), NSObject())
    let stream = center.publisher(for: name, object: one).sink(isolation: nil) { _ in }
    center.post(name: name, object: other)
    expect("hasn't sent a value, and passes on only what this one object posts", of: stream)
    center.post(name: name, object: one)
    expect("Idle: 1 value delivered", of: stream)
  }

  func testAPropertyOfAnObjectThatHasBeenReleased() {
    final class Session { @Published var user = "" }
    var session = Session()
    let stream = session.$user.removeDuplicates().sink(isolation: nil) { _ in }
    XCTAssert(stream.inspection.diagnosis.hasPrefix("Idle: 1 value delivered"), stream.inspection.diagnosis)
    session = Session()
    session.user = "Ada"
    expect("can never send again: the object that has this property has been released. Before: 1 value", of: stream)
  }

  func testALateSubscriberOfAShare() {
    let shared = subject.map { $0 + 1 }.share()
    let early = shared.sink(isolation: nil) { _ in }
    subject.send(1)
    let late = shared.sink(isolation: nil) { _ in }
    expect(
      "share has sent 1 value to another stream, and none to this one: it doesn't replay values",
      of: late)
    expect("Idle: 1 value delivered", of: early)
    subject.send(2)
    expect("Idle: 1 value delivered", of: late)
  }

  func testAConstantSourceIsNotAccused() {
    var thresholds = Inspection.Thresholds()
    thresholds.silence = .zero
    let stream = subject.combineLatest(CurrentValueSubject<Int, Never>(1)).sink(isolation: nil) { _ in }
    subject.send(1)
    let findings = Inspection(of: stream, thresholds: thresholds).findings
    XCTAssertFalse(findings.contains { $0.kind == .neverAgain }, "\(findings)")
    let lacking = subject.combineLatest(PassthroughSubject<Int, Never>()).sink(isolation: nil) { _ in }
    subject.send(2)
    expect("can probably never send again", of: lacking)
  }

  func testTheBoundaryThatEndsAWindow() {
    let boundary = PassthroughSubject<Void, Never>()
    let stream = subject.window(by: boundary, bufferSize: 4).flatMap { $0.collect() }.sink(isolation: nil) { _ in }
    subject.send(1)
    expect("The window ends with the next value of PassthroughSubject<Void, Never>.", of: stream)
    boundary.send()
    expect("Idle: 1 value delivered", of: stream)
  }

  func testValuesThatWaitForALoop() async {
    let (values, isDone) = (
      subject.buffer(size: 4, prefetch: .byRequest, whenFull: .dropNewest), CurrentValueSubject<Bool, Never>(false)
    )
    let task = Task {
      for await _ in values.values {
        for await done in isDone.values where done { break }
        break
      }
    }
    var loop: Inspection? { StreamInspector.inspections.first { $0.parts[0].count == 1 && $0.parts.count > 2 } }
    while loop == nil {
      subject.send(1)
      await Task.yield()
    }
    for value in 2...3 { subject.send(value) }
    let diagnosis = loop.map { Self.withoutPlaces($0.diagnosis) } ?? ""
    XCTAssert(diagnosis.contains("waiting in buffer for a loop that hasn't requested the next one"), diagnosis)
    isDone.send(true)
    await task.value
  }
}

/// Passes odd values on, and forgets to request others for even ones.
private struct Odd<Upstream: Publisher>: Publisher where Upstream.Output == Int {
  typealias Output = Int
  typealias Failure = Upstream.Failure

  let upstream: Upstream

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Failure {
    upstream.subscribe(
      AnySubscriber(
        receiveSubscription: { subscriber.receive(subscription: $0) },
        receiveValue: { $0.isMultiple(of: 2) ? subscriber.receive($0) : .none },
        receiveCompletion: { subscriber.receive(completion: $0) }))
  }
}

/// Doesn't pass the completion on.
private struct Endless<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(
      AnySubscriber(
        receiveSubscription: { subscriber.receive(subscription: $0) }, receiveValue: { subscriber.receive($0) }))
  }
}
